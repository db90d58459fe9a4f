// @ts-check
'use strict';

const { Ajv, Ajv2020, Name, _, callRef, refKeyword, resolveRef } = require('../bundled/schemas');
const { performance, setImmediate } = require('../contract/clock');
const { isPlainObject } = require('../contract/describe');
const { compiledPattern } = require('./patterns');

/** References that may be followed, whatever the value; and for each of its characters as JSON. */
const FREE_STEPS = 10_000;
const STEPS_PER_CHARACTER = 2;
/** Errors that cost as much as a reference: each one that is followed copies those of all before. */
const ERRORS_PER_STEP = 16;

/** Keywords by which schemas recurse. */
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const SHARED = /^#\/\$defs\/([\w.-]+)$/;

/** How long schemas are compiled in one turn of the event loop; what a single one takes is not known before. */
const COMPILE_MS = 5;
let spentMs = 0;

/** There are schemas to compile, for which this turn of the event loop has no time left. */
class NextTurn extends Error {}

/** A schema that is none, or that refers to what there is not. */
class UnusableSchema extends Error {}

class TooManySteps extends RangeError {}

/**
 * The schemas of one registry. Each is compiled when a value first gets to it, and those that methods share once for all of them.
 */
class Schemas {
  #shared;
  /** Of schemas that have no names of their own. */
  /** @type {Map<boolean, Compiler>} */
  #compilers = new Map();

  /** @param {Map<string, string>} shared JSON texts by name, to which `#/$defs/name` refers */
  constructor(shared = new Map()) {
    this.#shared = shared;
  }

  /**
   * @param {string} text JSON
   * @param {{ allErrors: boolean }} how whether it tells all errors, or the first one
   * @returns {(value: object, characters: number) => import('ajv').ErrorObject[]} `characters`: of the value as JSON. Throws
   *   `NextTurn`, `UnusableSchema` or `TooManySteps`
   */
  validator(text, { allErrors }) {
    // Two of the same `$id` would be refused.
    const isAlone = text.includes('"$id":') || text.includes('"$schema":');
    const make = () => new Compiler(this.#shared, allErrors, isAlone ? JSON.parse(text).$schema : undefined);
    /** @type {Compiler} */
    let compiler;
    /** @type {import('ajv').ValidateFunction} */
    let validate;
    return (value, characters) => {
      validate ??= inTurn(() => {
        compiler = isAlone ? make() : (this.#compilers.get(allErrors) ?? make());
        if (!isAlone) this.#compilers.set(allErrors, compiler);
        return compiler.compile(text);
      });
      compiler.steps = FREE_STEPS + STEPS_PER_CHARACTER * characters;
      return validate(value) ? [] : (validate.errors ?? []);
    };
  }
}

class Compiler {
  #ajv;
  #shared;
  /** @type {Map<string, import('ajv').ValidateFunction>} */
  #known = new Map();
  /** References that may still be followed. */
  steps = 0;

  /**
   * @param {Map<string, string>} shared
   * @param {boolean} allErrors
   * @param {unknown} $schema
   */
  constructor(shared, allErrors, $schema) {
    this.#shared = shared;
    const isOld = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
    const AnyAjv = isOld ? Ajv : Ajv2020;
    this.#ajv = new AnyAjv({
      strict: false,
      allErrors,
      ownProperties: true,
      validateFormats: false,
      validateSchema: false,
      addUsedSchema: false,
      inlineRefs: false,
      logger: false,
      // Ajv's own name of this: https://ajv.js.org/options.html#code.
      code: { regExp: linearRegExp },
    });
    this.#ajv.removeKeyword('uniqueItems');
    this.#ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: uniqueItems, errors: false });
    this.#replace('$ref', (context) => this.#reference(context));
    for (const keyword of REFERENCES) this.#count(keyword);
  }

  /** @param {string} text */
  compile(text) {
    return this.#ajv.compile(JSON.parse(text));
  }

  /**
   * @param {string} keyword
   * @param {(context: import('ajv').KeywordCxt) => void} code
   */
  #replace(keyword, code) {
    const definition = /** @type {any} */ (this.#ajv.getKeyword(keyword));
    if (typeof definition !== 'object') return;
    this.#ajv.removeKeyword(keyword);
    this.#ajv.addKeyword({ ...definition, code });
  }

  /**
   * A reference is followed, with so many errors before it.
   *
   * @param {string} keyword
   */
  #count(keyword) {
    const follow = (/** @type {number} */ errors) => {
      this.steps -= 1 + errors / ERRORS_PER_STEP;
      if (this.steps < 0) throw new TooManySteps();
    };
    const { code } = /** @type {any} */ (this.#ajv.getKeyword(keyword) || {});
    this.#replace(keyword, (context) => {
      const { gen } = context;
      gen.code(_`${gen.scopeValue('func', { ref: follow })}(${new Name('errors')})`);
      code(context);
    });
  }

  /**
   * What it refers to is looked up and compiled when a value gets there.
   *
   * @param {import('ajv').KeywordCxt} context
   */
  #reference(context) {
    const { gen, schema: ref, it } = context;
    const { baseId, schemaEnv } = it;
    const { root } = schemaEnv;
    // The schema as a whole is compiled already.
    if (ref === '#' || ref === '#/') return refKeyword.code(context);
    /** @type {import('ajv').ValidateFunction} */
    let validate;
    const target = () => (validate ??= inTurn(() => this.#sharedOf(ref, root) ?? this.#ownOf(ref, root, baseId)));
    callRef(context, gen.const('target', _`${gen.scopeValue('func', { ref: target })}()`));
  }

  /**
   * @param {string} ref
   * @param {any} root
   */
  #sharedOf(ref, root) {
    const name = SHARED.exec(ref)?.[1];
    const text =
      name === undefined || Object.hasOwn(root.schema.$defs ?? {}, name) ? undefined : this.#shared.get(name);
    if (name === undefined || text === undefined) return undefined;
    const validate = this.#known.get(name) ?? this.compile(text);
    this.#known.set(name, validate);
    return validate;
  }

  /**
   * @param {string} ref
   * @param {any} root
   * @param {string} baseId
   */
  #ownOf(ref, root, baseId) {
    const { validate } = resolveRef.call(this.#ajv, root, baseId, ref) ?? {};
    if (validate === undefined) throw new Error(`the reference ${ref} leads nowhere`);
    return validate;
  }
}

/**
 * @template T
 * @param {() => T} compile
 */
function inTurn(compile) {
  if (spentMs >= COMPILE_MS) throw new NextTurn();
  if (spentMs === 0) setImmediate(() => (spentMs = 0));
  const from = performance.now();
  try {
    return compile();
  } catch (cause) {
    throw new UnusableSchema(/** @type {Error} */ (cause).message, { cause });
  } finally {
    spentMs += performance.now() - from;
  }
}

/**
 * A pattern, which is compiled when a value gets there.
 *
 * @param {string} pattern
 */
function linearRegExp(pattern) {
  /** @type {ReturnType<typeof compiledPattern>} */
  let compiled;
  return {
    test(/** @type {string} */ text) {
      compiled ??= inTurn(() => compiledPattern(pattern));
      return compiled.matcher(text).find();
    },
    // Ajv tells patterns apart by their texts.
    toString: () => pattern,
  };
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

module.exports = { NextTurn, Schemas, TooManySteps, UnusableSchema };
