// @ts-check
'use strict';

const { Ajv, Ajv2020, Name, RE2JS, _ } = require('../bundled/schemas');
const { describe, isPlainObject } = require('../contract/describe');
const { InvalidCallError } = require('./errors');

/** Levels of objects and arrays in parameters: schemas may recurse as deep. */
const MAX_DEPTH = 64;
const MAX_ISSUES = 5;

/** References that may be followed, whatever the parameters; and for each of their characters. */
const FREE_STEPS = 10_000;
const STEPS_PER_CHARACTER = 2;
/** Errors that cost as much as a reference: each one that is followed copies those of all before. */
const ERRORS_PER_STEP = 16;

/** Keywords by which schemas recurse. */
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Parameters of one method, read and checked without taking more time than their length explains: their size and depth
 * are bounded, patterns are matched in linear time, `uniqueItems` is, too, and so many references are followed: with
 * alternatives that recurse, their number doubles with each level.
 */
class ParamsReader {
  /** Tells all errors. */
  /** @type {import('ajv').ValidateFunction | undefined} */
  #validateAll;
  /** Tells the first one. */
  /** @type {import('ajv').ValidateFunction | undefined} */
  #validate;
  /** References that may still be followed. */
  #steps = 0;

  /**
   * @param {string} path as guests call the method
   * @param {string} schemaText
   * @param {number} maxBytes
   */
  constructor(path, schemaText, maxBytes) {
    this.path = path;
    this.schemaText = schemaText;
    this.maxBytes = maxBytes;
  }

  /**
   * @param {unknown} text JSON
   * @returns {Record<string, unknown>}
   * @throws {InvalidCallError} naming each parameter that is wrong
   */
  read(text) {
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
    const errors = this.#errorsOf(params, text.length);
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
  #errorsOf(params, characters) {
    try {
      return this.#validated((this.#validateAll ??= this.#compiled(true)), params, characters);
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
    }
    try {
      return this.#validated((this.#validate ??= this.#compiled(false)), params, characters);
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      throw this.#invalid(`they cannot be checked: ${error.message}`);
    }
  }

  /**
   * @param {import('ajv').ValidateFunction} validate
   * @param {object} params
   * @param {number} characters
   */
  #validated(validate, params, characters) {
    this.#steps = FREE_STEPS + STEPS_PER_CHARACTER * characters;
    try {
      return validate(params) ? [] : (validate.errors ?? []);
    } catch (error) {
      if (error instanceof TooManySteps) throw error;
      throw this.#invalid(`they cannot be checked: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {boolean} allErrors */
  #compiled(allErrors) {
    try {
      const schema = JSON.parse(this.schemaText);
      return validatorFor(schema, allErrors, this.#follow).compile(schema);
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      throw new InvalidCallError('ERR_INVALID_SCHEMA', `the schema of ${this.path} cannot be used: ${reason}`, this);
    }
  }

  /** A reference is followed, with so many errors before it. */
  #follow = (/** @type {number} */ errors) => {
    this.#steps -= 1 + errors / ERRORS_PER_STEP;
    if (this.#steps < 0) throw new TooManySteps('too many alternatives of the schema do not fit');
  };

  /**
   * @param {string} reason
   * @param {import('./index').SandboxIssue[]} [issues]
   */
  #invalid(reason, issues = [{ path: '', message: reason }]) {
    const message = `the parameters of ${this.path} are not valid: ${reason}`;
    return new InvalidCallError('ERR_INVALID_PARAMS', message, { path: this.path, issues });
  }
}

class TooManySteps extends RangeError {}

/**
 * A validator of its own: one that is shared would keep all schemas, and refuse two of the same `$id`.
 *
 * @param {Record<string, unknown>} schema
 * @param {boolean} allErrors
 * @param {(errors: number) => void} follow called for each reference that is followed, with how many errors there are
 */
function validatorFor({ $schema }, allErrors, follow) {
  const isOld = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
  const AnyAjv = isOld ? Ajv : Ajv2020;
  const ajv = new AnyAjv({
    strict: false,
    allErrors,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    // Ajv's own name of this: https://ajv.js.org/options.html#code.
    code: { regExp: linearRegExp },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: uniqueItems, errors: false });
  for (const keyword of REFERENCES) {
    const definition = /** @type {any} */ (ajv.getKeyword(keyword));
    if (typeof definition !== 'object') continue;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...definition,
      code(/** @type {import('ajv').KeywordCxt} */ context) {
        const { gen } = context;
        gen.code(_`${gen.scopeValue('func', { ref: follow })}(${new Name('errors')})`);
        definition.code(context);
      },
    });
  }
  return ajv;
}

/**
 * RE2 in the place of V8's regular expressions, whose time can grow without a bound.
 *
 * @param {string} pattern
 */
function linearRegExp(pattern) {
  const compiled = RE2JS.compile(pattern);
  // Ajv tells patterns apart by their texts.
  return { test: (/** @type {string} */ text) => compiled.matcher(text).find(), toString: () => pattern };
}
linearRegExp.code = 'linearRegExp';

/**
 * @param {boolean} wanted
 * @param {unknown[]} items
 */
function uniqueItems(wanted, items) {
  return !wanted || new Set(items.map(canonicalText)).size === items.length;
}

/** @param {unknown} value */
function canonicalText(value) {
  return JSON.stringify(value, (_, inner) =>
    isPlainObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
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
