// @ts-check
'use strict';

const { InvalidCallError } = require('./errors');
const { describe, isPlainObject } = require('../contract/describe');
const { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } = require('../json-schema');

/** Parameters of one method, read and checked within the budget that all checks of schemas have. */
class ParamsReader {
  #schemaText;
  #shared;
  /** Made by the first call. @type {JsonSchema | undefined} */
  #schema;

  /**
   * @param {string} path as guests call the method
   * @param {string} schemaText
   * @param {number} maxBytes
   * @param {import('../json-schema').SharedSchemas} [shared]
   */
  constructor(path, schemaText, maxBytes, shared) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.#schemaText = schemaText;
    this.#shared = shared;
  }

  /**
   * @param {unknown} text JSON
   * @param {AbortSignal} [signal]
   * @returns {Promise<Record<string, unknown>>} rejects with an `InvalidCallError` that names each parameter that is wrong
   */
  async read(text, signal) {
    if (typeof text !== 'string') throw this.#invalid('they must be JSON');
    if (text.length > this.maxBytes) {
      throw this.#invalid(`they take ${text.length} characters of JSON, and at most ${this.maxBytes} are allowed`);
    }
    let params;
    try {
      params = JSON.parse(text);
    } catch {
      throw this.#invalid('they must be JSON');
    }
    if (!isPlainObject(params)) throw this.#invalid(`they must be one object, got ${describe(params)}`);
    const { value, issues } = await this.#check(params, signal);
    if (issues === undefined) return value;
    /** @type {import('./index').SandboxIssue[]} */
    const told = issues.map((/** @type {any} */ { path, message }) => ({ path, message }));
    throw this.#invalid(told.map((/** @type {any} */ { message }) => message).join('; '), told);
  }

  /**
   * @param {object} params
   * @param {AbortSignal | undefined} signal
   */
  async #check(params, signal) {
    this.#schema ??= new JsonSchema(JSON.parse(this.#schemaText), { shared: this.#shared });
    try {
      return /** @type {any} */ (await this.#schema.check(params, signal));
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      if (error instanceof NotJsonError) throw this.#invalid(message.replace(/^it /, 'they '));
      if (error instanceof UncheckableError) throw this.#invalid(`they cannot be checked: ${message}`);
      if (!(error instanceof UnusableSchemaError)) throw error;
      throw new InvalidCallError('ERR_INVALID_SCHEMA', `the schema of ${this.path} cannot be used: ${message}`, this);
    }
  }

  /**
   * @param {string} reason
   * @param {import('./index').SandboxIssue[]} [issues]
   */
  #invalid(reason, issues = [{ path: '', message: reason }]) {
    const message = `the parameters of ${this.path} are not valid: ${reason}`;
    return new InvalidCallError('ERR_INVALID_PARAMS', message, { path: this.path, issues });
  }
}

module.exports = { ParamsReader };
