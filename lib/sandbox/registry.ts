import { describe, isPlainObject, memberPath } from '../contract/describe';
import { holdsSchemas, isOfLibrary } from '../contract/standard-schema';
import { searchTermsOf } from './search-terms';
import { startsOf } from './starts';
import type { Foreign } from '../contract/foreign';
import type { SearchTerms, Searched } from './search-terms';

/**
 * The registry as guests receive it: strings from which they build their objects. Details and heads hold only Latin-1
 * characters, so that an isolate can store them outside its heap.
 */
export interface RegistryTexts {
  /** `first`: the number of its first method among those of all sources */
  sources: { name: string; description: string; first: number; count: number }[];
  /** `[name, description]` of each method, as JSON, each followed by a comma */
  heads: string;
  /** `{ params, result, examples }` of each method, as JSON */
  details: string;
  /** one line for each method: name and description in lower case */
  index: string;
  /** start of each line of the index */
  lines: Uint32Array;
  grams: Grams;
  terms: SearchTerms;
  /** start of each head, and the end of the last one */
  headAt: Uint32Array;
  /** start of each entry of `details`, and the end of the last one */
  detailAt: Uint32Array;
  /** schemas that methods share, as JSON */
  defs: { names: string[]; text: string; at: Uint32Array };
}

/**
 * Records which blocks of lines may contain a string, so that a search can skip the others. For each hash of three
 * consecutive characters, it has one bit per block that contains them.
 */
export interface Grams {
  /** lines per block */
  lines: number;
  /** number of hashes, a power of two */
  hashes: number;
  /** `hashes` groups of words, all of the same size. The first block is the lowest bit of a group's first word. */
  bits: Uint32Array;
}

/** With this size, a search for one name reads one or two blocks among thousands of methods. */
const LINES_PER_BLOCK = 16;
const HASHES = 4096;

const NAME = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const DEF_NAME = /^[\w.-]+$/;
const ANY_OBJECT = { type: 'object' };
/**
 * Names that other function formats use for the parameter schema. They are rejected: if they were ignored, nothing
 * would be checked.
 */
const OTHER_PARAMS = ['parameters', 'inputSchema', 'input_schema'];

/** Sources and methods of a manager, as they were at its construction. */
export class Registry {
  texts: RegistryTexts;

  /** Parameter schemas by source and method. */
  #params: Map<string, Map<string, { text: string }>> = new Map();
  summary: { name: string; description: string; methods: number }[] = [];
  /** JSON of the schemas that methods share, by name. */
  defs;

  constructor(registry: unknown) {
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
    this.texts = { ...writer.texts(), defs: defTexts(this.defs) };
  }

  /** @returns sources and their methods */
  *names(): Iterable<[string, Iterable<string>]> {
    for (const [source, methods] of this.#params) yield [source, methods.keys()];
  }

  hasSource(source: string) {
    return this.#params.has(source);
  }

  /** The parameter schema of a method as JSON, or undefined if the method does not exist. */
  paramsOf(source: string, method: string) {
    return this.#params.get(source)?.get(method)?.text;
  }

  methodNames(source: string) {
    return [...(this.#params.get(source)?.keys() ?? [])];
  }
}

class TextWriter {
  #sources: RegistryTexts['sources'] = [];
  #heads: string[] = [];
  #details: string[] = [];
  #index: string[] = [];
  #searched: Searched[] = [];

  add(
    source: string,
    description: string,
    methods: { name: string; description: string; params: string; result: string; examples: string }[],
  ) {
    this.#sources.push({ name: source, description, first: this.#index.length, count: methods.length });
    for (const { name, description: text, params, result, examples } of methods) {
      this.#heads.push(`${latin1(JSON.stringify([name, text]))},`);
      this.#details.push(latin1(`{"params":${params},"result":${result},"examples":${examples}}`));
      this.#index.push(`${source}.${name} ${text}`.toLowerCase().replace(/\s+/g, ' '));
      this.#searched.push({ source, name, description: text, params });
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
      terms: searchTermsOf(this.#searched),
      headAt: startsOf(this.#heads, 0),
      detailAt: startsOf(this.#details, 0),
    };
  }
}

function defsOf(given: unknown): Map<string, string> {
  if (!isPlainObject(given)) throw new TypeError(`options.registry.$defs must be an object, got ${describe(given)}`);
  return new Map(
    Object.entries(given).map(([name, schema]) => {
      const path = memberPath('options.registry.$defs', name);
      if (!DEF_NAME.test(name)) throw new TypeError(`${path} must have a name of letters, digits, "_", "." and "-"`);
      return [name, schemaText(schema, path)];
    }),
  );
}

function defTexts(defs: Map<string, string>) {
  const texts = [...defs.values()].map(latin1);
  return { names: [...defs.keys()], text: texts.join(''), at: startsOf(texts, 0) };
}

/** @param index lines */
function gramsOf(index: string[]): Grams {
  const words = Math.ceil(index.length / LINES_PER_BLOCK / 32);
  const bits = new Uint32Array(HASHES * words);
  index.forEach((line, number) => {
    const block = Math.floor(number / LINES_PER_BLOCK);
    const word = block >> 5;
    const bit = 1 << (block & 31);
    for (let i = 2; i < line.length; i++) {
      // Must match guest/spec.js.
      const hash = (line.charCodeAt(i - 2) * 961 + line.charCodeAt(i - 1) * 31 + line.charCodeAt(i)) & (HASHES - 1);
      bits[hash * words + word] |= bit;
    }
  });
  return { lines: LINES_PER_BLOCK, hashes: HASHES, bits };
}

function checkedName(thing: Foreign, path: string) {
  if (!isPlainObject(thing)) throw new TypeError(`${path} must be an object, got ${describe(thing)}`);
  const { name } = thing;
  if (typeof name !== 'string' || !NAME.test(name) || name === '__proto__') {
    throw new TypeError(`${path}.name must be an identifier, got ${describe(name)}`);
  }
  return name;
}

function checkedMethods(methods: unknown[], path: string) {
  const seen = new Set();
  return methods.map((given, at) => {
    const name = checkedName(given, `${path}[${at}]`);
    if (seen.has(name)) throw new TypeError(`${path}[${at}].name ${JSON.stringify(name)} is taken`);
    seen.add(name);
    const method = given as Record<string, unknown>;
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

/** The JSON of a schema. Accepts only schemas of objects. */
function schemaText(schema: unknown, path: string) {
  const text = jsonSchemaText(schema, path);
  if (text.startsWith('{')) return text;
  throw new TypeError(`${path} must be a JSON schema, got ${text.slice(0, 40)}`);
}

function jsonSchemaText(schema: unknown, path: string) {
  // Serialized as JSON, these schemas would check nothing.
  if (isOfLibrary(schema) || holdsSchemas(schema)) {
    throw new TypeError(`${path} must be a JSON schema, got one of a library; of zod 4 give z.toJSONSchema(schema)`);
  }
  return jsonOf(schema, path);
}

function jsonOf(value: unknown, path: string) {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new TypeError(`${path} cannot be written as JSON`, { cause });
  }
  throw new TypeError(`${path} must be JSON, got ${describe(value)}`);
}

function textOf(value: unknown, path: string) {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  throw new TypeError(`${path} must be a string, got ${describe(value)}`);
}

/** JSON that escapes all characters outside Latin-1. */
function latin1(json: string) {
  return json.replace(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
