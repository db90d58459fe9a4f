// @ts-check
'use strict';

const { describe, isBeyondNumbers, isPlainObject } = require('../../contract/describe');

/** The input of a tool whose schema is JSON Schema. */
class JsonInput {
  #schema;
  /** Loaded with the validator when there is something to check. @type {import('../../sandbox/params').ParamsReader | undefined} */
  #reader;

  /** @param {any} schema */
  constructor(schema) {
    this.#schema = schema;
  }

  /**
   * As JSON has it; anything is valid for a schema that cannot be used.
   *
   * @param {unknown} input
   * @returns {Promise<{ value: unknown } | { issues: readonly import('../../contract/standard-schema').Issue[] }>}
   */
  async validate(input) {
    const issues = await this.#issuesOf(input);
    return issues.length === 0 ? { value: input } : { issues };
  }

  /** @param {unknown} input */
  async #issuesOf(input) {
    if (!isPlainObject(input)) {
      return this.#schema.type === 'object' ? [{ message: `it must be one object, got ${describe(input)}` }] : [];
    }
    let text;
    try {
      text = JSON.stringify(input);
    } catch (error) {
      return [{ message: `it cannot be written as JSON: ${reasonOf(input, /** @type {Error} */ (error))}` }];
    }
    try {
      this.#reader ??= readerOf(this.#schema);
      await this.#reader.read(text);
      return [];
    } catch (error) {
      const { code, issues = [] } = /** @type {import('../../sandbox/errors').InvalidCallError} */ (error);
      if (code === 'ERR_INVALID_PARAMS') return issues.map(({ message }) => ({ message }));
      // Where the process lets none be compiled, nothing would be checked any more.
      if (code === 'ERR_INVALID_SCHEMA' && (await areSchemasUsable())) return [];
      throw error;
    }
  }
}

/**
 * Why an input has no JSON.
 *
 * @param {object} input
 * @param {Error} error what `JSON.stringify` says
 */
function reasonOf(input, { message }) {
  let reason = message;
  try {
    JSON.stringify(input, (key, value) => {
      if (typeof value !== 'bigint') return value;
      if (isBeyondNumbers(value)) reason = `${describe(key)} is an integer beyond 2^53`;
      throw new TypeError(reason);
    });
  } catch {
    // As before.
  }
  return reason;
}

/** Whether schemas can be compiled, to code: a process may forbid code from strings. */
function areSchemasUsable() {
  const reader = readerOf({ type: 'object', properties: { a: { type: 'string' } } });
  return reader.read('{}').then(
    () => true,
    () => false,
  );
}

/** @param {object} schema */
function readerOf(schema) {
  const { ParamsReader } = require('../../sandbox/params');
  return new ParamsReader('the tool', JSON.stringify(schema), Infinity);
}

module.exports = { JsonInput };
