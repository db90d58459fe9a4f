// @ts-check
'use strict';

const { setImmediate } = require('../contract/clock');
const { describe, isPlainObject } = require('../contract/describe');
const { InvalidCallError } = require('./errors');
const { NextTurn, Schemas, TooManySteps, UnusableSchema } = require('./schemas');

/** Levels of objects and arrays in parameters: schemas may recurse as deep. */
const MAX_DEPTH = 64;
const MAX_ISSUES = 5;

/**
 * Parameters of one method, read and checked without taking more time than their length explains: their size and depth
 * are bounded, patterns are matched in linear time, `uniqueItems` is, too, and so many references are followed: with
 * alternatives that recurse, their number doubles with each level.
 */
class ParamsReader {
  /** Those that tell all errors, and the first one. */
  #validators;

  /**
   * @param {string} path as guests call the method
   * @param {string} schemaText
   * @param {number} maxBytes
   * @param {Schemas} [schemas]
   */
  constructor(path, schemaText, maxBytes, schemas = new Schemas()) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.#validators = [true, false].map((allErrors) => schemas.validator(schemaText, { allErrors }));
  }

  /**
   * @param {unknown} text JSON
   * @returns {Promise<Record<string, unknown>>} rejects with an `InvalidCallError` that names each parameter that is wrong
   */
  async read(text) {
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
    const wrong = wrongShape(params);
    if (wrong !== undefined) throw this.#invalid(wrong);
    const errors = await this.#errorsOf(params, text.length);
    if (errors.length === 0) return params;
    const issues = issuesOf(errors, params);
    throw this.#invalid(issues.map(({ message }) => message).join('; '), issues);
  }

  /**
   * What is wrong: all of it, or the first if that takes too many steps.
   *
   * @param {object} params
   * @param {number} characters of them as JSON
   */
  async #errorsOf(params, characters) {
    for (const validate of this.#validators) {
      for (;;) {
        const found = this.#attempt(() => validate(params, characters));
        if (found instanceof TooManySteps) break;
        if (!(found instanceof NextTurn)) return found;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    throw this.#invalid('they cannot be checked: too many alternatives of the schema do not fit');
  }

  /** @param {() => import('ajv').ErrorObject[]} validated */
  #attempt(validated) {
    try {
      return validated();
    } catch (error) {
      if (error instanceof NextTurn || error instanceof TooManySteps) return error;
      const reason = /** @type {Error} */ (error).message;
      if (!(error instanceof UnusableSchema)) throw this.#invalid(`they cannot be checked: ${reason}`);
      throw new InvalidCallError('ERR_INVALID_SCHEMA', `the schema of ${this.path} cannot be used: ${reason}`, this);
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

/**
 * What schemas do not say: nesting, and keys that would be a prototype as soon as somebody copies the object.
 *
 * @param {object} params
 */
function wrongShape(params) {
  /** @type {object[]} */
  let level = [params];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) return `they must be nested at most ${MAX_DEPTH} deep`;
    const next = [];
    for (const object of level) {
      if (Object.hasOwn(object, '__proto__')) return 'no object may have the key `__proto__`';
      for (const value of Object.values(object)) if (typeof value === 'object' && value !== null) next.push(value);
    }
    level = next;
  }
  return undefined;
}

/**
 * @param {import('ajv').ErrorObject[]} errors
 * @param {object} params
 * @returns {import('./index').SandboxIssue[]}
 */
function issuesOf(errors, params) {
  const issues = new Map();
  for (const error of errors) {
    // What is wrong with the parts says more.
    if (error.keyword === 'if') continue;
    const issue = issueOf(error, params);
    if (!issues.has(issue.message)) issues.set(issue.message, issue);
    if (issues.size === MAX_ISSUES) break;
  }
  return [...issues.values()];
}

/**
 * @param {import('ajv').ErrorObject} error
 * @param {object} params
 */
function issueOf({ keyword, instancePath, params: facts, message = 'is not valid' }, params) {
  const keys = instancePath.split('/').slice(1).map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')); // prettier-ignore
  const path = keys.join('.');
  const inside = (/** @type {string} */ key) => (path === '' ? key : `${path}.${key}`);
  if (keyword === 'required') {
    return { path: inside(facts.missingProperty), message: `${inside(facts.missingProperty)} is missing` };
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const extra = facts.additionalProperty ?? facts.unevaluatedProperty;
    return { path: inside(extra), message: `${inside(extra)} is not a parameter` };
  }
  const given = shown(keys.reduce((value, key) => value?.[key], /** @type {any} */ (params)));
  const expected = expectation(keyword, facts) ?? message;
  return { path, message: `${path === '' ? 'the object' : path} ${expected}, got ${given}` };
}

/**
 * What Ajv's own message does not say.
 *
 * @param {string} keyword
 * @param {Record<string, any>} facts
 */
function expectation(keyword, facts) {
  if (keyword === 'const') return `must be ${JSON.stringify(facts.allowedValue)}`;
  if (keyword === 'uniqueItems') return 'must not have equal items';
  if (keyword !== 'enum') return undefined;
  return `must be one of ${facts.allowedValues.map((/** @type {unknown} */ it) => JSON.stringify(it)).join(', ')}`;
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value !== 'object' || value === null) return describe(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? describe(value) : text;
}

module.exports = { ParamsReader };
