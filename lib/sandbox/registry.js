// @ts-check
'use strict';

const { describe, isPlainObject, memberPath } = require('../contract/describe');

/**
 * The registry as guests get it: texts from which they make what they ask for. Details and heads hold only Latin-1
 * characters, so that an isolate can keep them outside of its heap.
 *
 * @typedef {object} RegistryTexts
 * @property {{ name: string, description: string, headsFrom: number, headsLength: number, detailsFrom: number,
 *   first: number, count: number }[]} sources `first`: the line of its first method in the index
 * @property {string} heads of each source a JSON array of `[name, description, length of details]`
 * @property {string} details `{ params, result, examples }` of each method, as JSON
 * @property {string} index of each method one line: name and description in lower case
 * @property {Uint32Array} lines where each line begins
 */

const NAME = /^[A-Za-z_$][\w$]*$/;
const ANY_OBJECT = { type: 'object' };

/** Sources and methods of a manager, as they were when it was made. */
class Registry {
  /** Schemas of parameters by source and method. */
  /** @type {Map<string, Map<string, { text: string }>>} */
  #params = new Map();
  /** @type {{ name: string, description: string, methods: number }[]} */
  summary = [];

  /** @param {unknown} registry */
  constructor(registry) {
    if (!isPlainObject(registry) || !Array.isArray(registry.sources)) {
      throw new TypeError(`options.registry must be an object with the array \`sources\`, got ${describe(registry)}`);
    }
    const writer = new TextWriter();
    registry.sources.forEach((source, at) => {
      const path = `options.registry.sources[${at}]`;
      const name = checkedName(source, path);
      if (this.#params.has(name)) throw new TypeError(`${path}.name ${JSON.stringify(name)} is taken`);
      if (!Array.isArray(source.methods)) {
        throw new TypeError(`${path}.methods must be an array, got ${describe(source.methods)}`);
      }
      const description = textOf(source.description, `${path}.description`);
      this.#params.set(name, writer.add(name, description, checkedMethods(source.methods, `${path}.methods`)));
      this.summary.push({ name, description, methods: source.methods.length });
    });
    /** @type {RegistryTexts} */
    this.texts = writer.texts();
  }

  /** @returns {Iterable<[string, Iterable<string>]>} sources and their methods */
  *names() {
    for (const [source, methods] of this.#params) yield [source, methods.keys()];
  }

  /** @param {string} source */
  hasSource(source) {
    return this.#params.has(source);
  }

  /**
   * The JSON text of the schema of a method's parameters, undefined if there is no such method.
   *
   * @param {string} source
   * @param {string} method
   */
  paramsOf(source, method) {
    return this.#params.get(source)?.get(method)?.text;
  }

  /** @param {string} source */
  methodNames(source) {
    return [...(this.#params.get(source)?.keys() ?? [])];
  }
}

class TextWriter {
  /** @type {RegistryTexts['sources']} */
  #sources = [];
  /** @type {string[]} */
  #heads = [];
  #headsLength = 0;
  /** @type {string[]} */
  #details = [];
  #detailsLength = 0;
  /** @type {string[]} */
  #index = [];

  /**
   * @param {string} source
   * @param {string} description
   * @param {{ name: string, description: string, params: string, result: string, examples: string }[]} methods
   */
  add(source, description, methods) {
    const detailsFrom = this.#detailsLength;
    const first = this.#index.length;
    const heads = methods.map(({ name, description, params, result, examples }) => {
      const details = latin1(`{"params":${params},"result":${result},"examples":${examples}}`);
      this.#details.push(details);
      this.#detailsLength += details.length;
      this.#index.push(`${source}.${name} ${description}`.toLowerCase().replace(/\s+/g, ' '));
      return [name, description, details.length];
    });
    const text = latin1(JSON.stringify(heads));
    const place = { headsFrom: this.#headsLength, headsLength: text.length, detailsFrom, first, count: methods.length };
    this.#sources.push({ name: source, description, ...place });
    this.#heads.push(text);
    this.#headsLength += text.length;
    return new Map(methods.map(({ name, params }) => [name, { text: params }]));
  }

  texts() {
    const lines = new Uint32Array(this.#index.length);
    let at = 0;
    this.#index.forEach((line, number) => {
      lines[number] = at;
      at += line.length + 1;
    });
    const [heads, details] = [this.#heads.join(''), this.#details.join('')];
    return { sources: this.#sources, heads, details, index: this.#index.join('\n'), lines };
  }
}

/**
 * @param {any} thing
 * @param {string} path
 */
function checkedName(thing, path) {
  if (!isPlainObject(thing)) throw new TypeError(`${path} must be an object, got ${describe(thing)}`);
  const { name } = thing;
  if (typeof name !== 'string' || !NAME.test(name) || name === '__proto__') {
    throw new TypeError(`${path}.name must be an identifier, got ${describe(name)}`);
  }
  return name;
}

/**
 * @param {unknown[]} methods
 * @param {string} path
 */
function checkedMethods(methods, path) {
  const seen = new Set();
  return methods.map((given, at) => {
    const name = checkedName(given, `${path}[${at}]`);
    if (seen.has(name)) throw new TypeError(`${path}[${at}].name ${JSON.stringify(name)} is taken`);
    seen.add(name);
    const method = /** @type {Record<string, unknown>} */ (given);
    const json = (/** @type {string} */ key, /** @type {unknown} */ fallback) =>
      jsonOf(method[key] ?? fallback, memberPath(`${path}[${at}]`, key));
    return {
      name,
      description: textOf(method.description, `${path}[${at}].description`),
      params: schemaText(json('params', ANY_OBJECT), `${path}[${at}].params`),
      result: json('result', {}),
      examples: json('examples', []),
    };
  });
}

/**
 * @param {string} text
 * @param {string} path
 */
function schemaText(text, path) {
  if (text.startsWith('{')) return text;
  throw new TypeError(`${path} must be a JSON schema, got ${text.slice(0, 40)}`);
}

/**
 * @param {unknown} value
 * @param {string} path
 */
function jsonOf(value, path) {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new TypeError(`${path} cannot be written as JSON`, { cause });
  }
  throw new TypeError(`${path} must be JSON, got ${describe(value)}`);
}

/**
 * @param {unknown} value
 * @param {string} path
 */
function textOf(value, path) {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  throw new TypeError(`${path} must be a string, got ${describe(value)}`);
}

/**
 * JSON with what is not Latin-1 as escapes.
 *
 * @param {string} json
 */
function latin1(json) {
  return json.replace(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

module.exports = { Registry };
