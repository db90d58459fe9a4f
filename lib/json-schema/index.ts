import { Checker, TooLongError } from './checker';
import { Document, SharedSchemas, UnusableSchemaError } from './documents';
import { NotJsonError, PlainData } from './plain-data';
import { BudgetError, inSlices, WorkBudget } from '../contract/budget';
import type { Foreign } from '../contract/foreign';
import type { SchemaIssue } from './issues';

// Checks values against JSON Schemas. Values come from guests and schemas from third parties, so the time for both is
// limited: checks run in slices within a budget, and nothing is compiled to code.

/** Steps that any value may take, and additional steps for each of its parts. */
const FREE_STEPS = 5_000_000;
const STEPS_PER_PART = 32;

/** A check was given up. The message completes `it cannot be checked: …`. */
export class UncheckableError extends RangeError {}

/** A JSON Schema for checking values. */
export class JsonSchema {
  #document;
  #isLenient;

  /** @param how `isLenient`: parts of the schema that cannot be used are left out */
  constructor(schema: unknown, { shared, isLenient = false }: { shared?: SharedSchemas; isLenient?: boolean } = {}) {
    this.#document = new Document(schema, shared);
    this.#isLenient = isLenient;
  }

  /**
   * Checks a copy of the value and returns the copy, so that the checked value and the used value are the same.
   *
   * @param value data without code
   * @returns the first few issues
   * @throws {NotJsonError | UncheckableError | UnusableSchemaError}
   */
  async check(
    value: unknown,
    signal?: AbortSignal,
  ): Promise<{ value: Foreign; issues?: undefined } | { issues: SchemaIssue[] }> {
    const budget = new WorkBudget<SchemaIssue>();
    try {
      return await inSlices(this.#run(value, budget), budget, signal);
    } catch (error) {
      throw uncheckable(error);
    }
  }

  *#run(
    given: unknown,
    budget: WorkBudget<SchemaIssue>,
  ): Generator<void, { value: Foreign } | { issues: SchemaIssue[] }, void> {
    const value = yield* new PlainData(budget).copy(given);
    budget.limitSteps(FREE_STEPS + STEPS_PER_PART * budget.parts);
    const isValid = yield* new Checker(budget, { isLenient: this.#isLenient }).check(this.#document.root, value);
    return isValid ? { value } : { issues: budget.errors };
  }
}

function uncheckable(error: unknown) {
  if (error instanceof TooLongError) return new UncheckableError(error.message);
  if (!(error instanceof BudgetError)) return error;
  const { limit, max } = error;
  if (limit === 'steps') return new UncheckableError('too many alternatives of the schema do not match');
  if (limit === 'ms') return new UncheckableError(`it takes more than ${max / 1000} s`);
  const what = limit === 'bytes' ? `more than ${max / 1_048_576} MiB` : `more than ${max} parts`;
  return new UncheckableError(`it has ${what}, where repeated parts count each time; pass less at a time`);
}

export { NotJsonError, SharedSchemas, UnusableSchemaError };
