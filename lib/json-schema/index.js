// @ts-check
'use strict';

const { Checker, TooLongError } = require('./checker');
const { Document, SharedSchemas, UnusableSchemaError } = require('./documents');
const { NotJsonError, PlainData } = require('./plain-data');
const { BudgetError, inSlices, WorkBudget } = require('../contract/budget');

// Checks of values by JSON Schema. Values come from guests and schemas from third parties, so that the time of both has a bound: checks
// run in slices within a budget, and nothing is compiled to code.

/** Steps for any value, and for each of its parts. */
const FREE_STEPS = 5_000_000;
const STEPS_PER_PART = 32;

/** @typedef {import('./issues').SchemaIssue} SchemaIssue */

/** A check that was given up: why, in the words of `it cannot be checked: …`. */
class UncheckableError extends RangeError {}

/** A JSON Schema that values are checked by. */
class JsonSchema {
  #document;
  #isLenient;

  /**
   * @param {unknown} schema
   * @param {{ shared?: SharedSchemas, isLenient?: boolean }} [how] `isLenient`: parts of the schema that cannot be used are left out
   */
  constructor(schema, { shared, isLenient = false } = {}) {
    this.#document = new Document(schema, shared);
    this.#isLenient = isLenient;
  }

  /**
   * Checks a copy of the value: what is used afterwards is what was checked.
   *
   * @param {unknown} value data without code
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ value: any, issues?: undefined } | { issues: SchemaIssue[] }>} the first few issues
   * @throws {NotJsonError | UncheckableError | UnusableSchemaError}
   */
  async check(value, signal) {
    const budget = new WorkBudget();
    try {
      return await inSlices(this.#run(value, budget), budget, signal);
    } catch (error) {
      throw uncheckable(error);
    }
  }

  /**
   * @param {unknown} given
   * @param {WorkBudget} budget
   * @returns {Generator<void, { value: any } | { issues: SchemaIssue[] }, void>}
   */
  *#run(given, budget) {
    const value = yield* new PlainData(budget).copy(given);
    budget.limitSteps(FREE_STEPS + STEPS_PER_PART * budget.parts);
    const isValid = yield* new Checker(budget, { isLenient: this.#isLenient }).check(this.#document.root, value);
    return isValid ? { value } : { issues: budget.errors };
  }
}

/** @param {unknown} error */
function uncheckable(error) {
  if (error instanceof TooLongError) return new UncheckableError(error.message);
  if (!(error instanceof BudgetError)) return error;
  const { limit, max } = error;
  if (limit === 'steps') return new UncheckableError('too many alternatives of the schema do not fit');
  if (limit === 'ms') return new UncheckableError(`it takes more than ${max / 1000} s`);
  const what = limit === 'bytes' ? `more than ${max / 1_048_576} MiB` : `more than ${max} parts`;
  return new UncheckableError(`it has ${what}, where what occurs several times counts each time; pass less at a time`);
}

module.exports = { JsonSchema, NotJsonError, SharedSchemas, UncheckableError, UnusableSchemaError };
