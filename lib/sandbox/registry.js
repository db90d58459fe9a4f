// @ts-check
'use strict';

const { describe, isPlainObject, memberPath } = require('../contract/describe');
const { holdsSchemas, isOfLibrary } = require('../contract/standard-schema');

/**
 * The registry as guests get it: texts from which they make what they ask for. Details and heads hold only Latin-1
 * characters, so that an isolate can keep them outside of its heap.
 *
 * @typedef {object} RegistryTexts
 * @property {{ name: string, description: string, first: number, count: number }[]} sources `first`: the number of its first
 *   method among those of all sources
 * @property {string} heads `[name, description]` of each method, as JSON, with a comma behind
 * @property {string} details `{ params, result, examples }` of each method, as JSON
 * @property {string} index of each method one line: name and description in lower case
 * @property {Uint32Array} lines where each line of the index begins
 * @property {Grams} grams
 * @property {Uint32Array} headAt where each head begins, and where the last one ends
 * @property {Uint32Array} detailAt the same of details
 * @property {{ names: string[], text: string, at: Uint32Array }} defs schemas that methods share, as JSON
 */

/**
 * Which blocks of lines may have a text, so that a search need not look at the others: for each hash of three characters in a
 * row a bit per block in which they occur.
 *
 * @typedef {object} Grams
 * @property {number} lines of a block
 * @property {number} hashes a power of two
 * @property {Uint32Array} bits `hashes` times the same number of words, the first block in the lowest bit of the first of them
 */

/** A search for one name looks at one block or two of thousands of methods. */
const LINES_PER_BLOCK = 16;
const HASHES = 4096;

const NAME = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const DEF_NAME = /^[\w.-]+$/;
const ANY_OBJECT = { type: 'object' };
/** What definitions of functions call the schema of their parameters elsewhere. Left out without a word, nothing would be checked. */
const OTHER_PARAMS = ['parameters', 'inputSchema', 'input_schema'];

/** Sources and methods of a manager, as they were when it was made. */
class Registry {
  /** Schemas of parameters by source and method. */
  /** @type {Map<string, Map<string, { text: string }>>} */
  #params = new Map();
  /** @type {{ name: string, description: string, methods: number }[]} */
  summary = [];
  /** JSON texts of the schemas that methods share, by name. */
  defs;

  /** @param {unknown} registry */
  constructor(registry) {
    if (!isPlainObject(registry) || !Array.isArray(registry.sources)) {
      throw new TypeError(`options.registry must be an object with the array \`sources\`, got ${describe(registry)}`);
    }
    this.defs = defsOf(registry.$defs ?? {});
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
    this.texts = { ...writer.texts(), defs: defTexts(this.defs) };
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
  /** @type {string[]} */
  #details = [];
  /** @type {string[]} */
  #index = [];

  /**
   * @param {string} source
   * @param {string} description
   * @param {{ name: string, description: string, params: string, result: string, examples: string }[]} methods
   */
  add(source, description, methods) {
    this.#sources.push({ name: source, description, first: this.#index.length, count: methods.length });
    for (const { name, description: text, params, result, examples } of methods) {
      this.#heads.push(`${latin1(JSON.stringify([name, text]))},`);
      this.#details.push(latin1(`{"params":${params},"result":${result},"examples":${examples}}`));
      this.#index.push(`${source}.${name} ${text}`.toLowerCase().replace(/\s+/g, ' '));
    }
    return new Map(methods.map(({ name, params }) => [name, { text: params }]));
  }

  texts() {
    return {
      sources: this.#sources,
      heads: this.#heads.join(''),
      details: this.#details.join(''),
      index: this.#index.join('\n'),
      lines: startsOf(this.#index, 1),
      grams: gramsOf(this.#index),
      headAt: startsOf(this.#heads, 0),
      detailAt: startsOf(this.#details, 0),
    };
  }
}

/**
 * @param {unknown} given
 * @returns {Map<string, string>}
 */
function defsOf(given) {
  if (!isPlainObject(given)) throw new TypeError(`options.registry.$defs must be an object, got ${describe(given)}`);
  return new Map(
    Object.entries(given).map(([name, schema]) => {
      const path = memberPath('options.registry.$defs', name);
      if (!DEF_NAME.test(name)) throw new TypeError(`${path} must have a name of letters, digits, "_", "." and "-"`);
      return [name, schemaText(schema, path)];
    }),
  );
}

/** @param {Map<string, string>} defs */
function defTexts(defs) {
  const texts = [...defs.values()].map(latin1);
  return { names: [...defs.keys()], text: texts.join(''), at: startsOf(texts, 0) };
}

/**
 * Where each part of a text begins, and where the last one ends. Of lines, which are `between` apart, only the former.
 *
 * @param {string[]} parts
 * @param {number} between
 */
function startsOf(parts, between) {
  const starts = new Uint32Array(parts.length + 1 - between);
  let at = 0;
  parts.forEach((part, number) => {
    starts[number] = at;
    at += part.length + between;
  });
  if (between === 0) starts[parts.length] = at;
  return starts;
}

/**
 * @param {string[]} index lines
 * @returns {Grams}
 */
function gramsOf(index) {
  const words = Math.ceil(index.length / LINES_PER_BLOCK / 32);
  const bits = new Uint32Array(HASHES * words);
  index.forEach((line, number) => {
    const block = Math.floor(number / LINES_PER_BLOCK);
    const word = block >> 5;
    const bit = 1 << (block & 31);
    for (let i = 2; i < line.length; i++) {
      // As in guest/spec.js.
      const hash = (line.charCodeAt(i - 2) * 961 + line.charCodeAt(i - 1) * 31 + line.charCodeAt(i)) & (HASHES - 1);
      bits[hash * words + word] |= bit;
    }
  });
  return { lines: LINES_PER_BLOCK, hashes: HASHES, bits };
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
    const other = method.params === undefined && OTHER_PARAMS.find((key) => method[key] !== undefined);
    if (other) throw new TypeError(`${path}[${at}].${other} is not a key of methods; did you mean params?`);
    return {
      name,
      description: textOf(method.description, `${path}[${at}].description`),
      params: schemaText(method.params ?? ANY_OBJECT, `${path}[${at}].params`),
      result: jsonSchemaText(method.result ?? {}, `${path}[${at}].result`),
      examples: jsonOf(method.examples ?? [], `${path}[${at}].examples`),
    };
  });
}

/**
 * Of a schema that says something of an object.
 *
 * @param {unknown} schema
 * @param {string} path
 */
function schemaText(schema, path) {
  const text = jsonSchemaText(schema, path);
  if (text.startsWith('{')) return text;
  throw new TypeError(`${path} must be a JSON schema, got ${text.slice(0, 40)}`);
}

/**
 * @param {unknown} schema
 * @param {string} path
 */
function jsonSchemaText(schema, path) {
  // As JSON they check nothing.
  if (isOfLibrary(schema) || holdsSchemas(schema)) {
    throw new TypeError(`${path} must be a JSON schema, got one of a library; of zod 4 give z.toJSONSchema(schema)`);
  }
  return jsonOf(schema, path);
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
