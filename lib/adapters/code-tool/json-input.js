// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } = require('../../json-schema');

/** The input of a tool whose schema is JSON Schema. */
class JsonInput {
  #schema;
  #takesObject;

  /** @param {any} schema parts that cannot be used are left out */
  constructor(schema) {
    this.#schema = new JsonSchema(schema, { isLenient: true });
    this.#takesObject = schema.type === 'object';
  }

  /**
   * @param {unknown} input
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ value: unknown } | { issues: readonly import('../../contract/standard-schema').Issue[] }>} the value is
   *   the JSON data that was checked
   */
  async validate(input, signal) {
    if (this.#takesObject && !isPlainObject(input)) {
      return { issues: [{ message: `it must be one object, got ${describe(input)}` }] };
    }
    try {
      const { value, issues } = /** @type {any} */ (await this.#schema.check(input, signal));
      return issues === undefined
        ? { value }
        : { issues: issues.map((/** @type {any} */ { message }) => ({ message })) };
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      if (error instanceof NotJsonError) return { issues: [{ message }] };
      if (error instanceof UncheckableError || error instanceof UnusableSchemaError)
        return { issues: [{ message: `it cannot be checked: ${message}` }] };
      throw error;
    }
  }
}

module.exports = { JsonInput };
