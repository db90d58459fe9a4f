import { WorkBudget, atOnce } from '../contract/budget';
import { describe, isPlainObject, memberPath } from '../contract/describe';
import { holdsSchemas, isOfLibrary } from '../contract/standard-schema';
import { defineMember } from '../contract/tool-names';
import { latin1, searchTextsIn } from '../catalog/search-texts';
import { offsetsOf } from '../catalog/part-offsets';
import type { Foreign } from '../contract/foreign';
import type { Searched } from '../catalog/search-terms';
import type { SearchTexts } from '../catalog/search-texts';

/** The registry as guests receive it: strings from which they build their objects, all of them in Latin-1. */
export interface RegistryTexts extends SearchTexts {
  /** `{ params, result, examples }` of each method, as JSON */
  details: string;
  /** start of each entry of `details`, and the end of the last one */
  detailAt: Uint32Array;
  /** schemas that methods share, as JSON */
  defs: { names: string[]; text: string; at: Uint32Array };
}

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
  #sharedDefs: object | undefined;

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

  /** All methods, with the numbers of their details. */
  methods(): { source: string; name: string; description: string; line: number }[] {
    const { sources, heads } = this.texts;
    const all: [string, string][] = JSON.parse(`[${heads.slice(0, -1)}]`);
    return sources.flatMap(({ name: source, first, count }) =>
      all
        .slice(first, first + count)
        .map(([name, description], at) => ({ source, name, description, line: first + at })),
    );
  }

  /** Schemas and examples of a method. The schemas have the shared ones that they can refer to in `$defs`. */
  detail(line: number): { params: unknown; result: unknown; examples: unknown[] } {
    const { details, detailAt } = this.texts;
    const { params, result, examples } = JSON.parse(details.slice(detailAt[line], detailAt[line + 1]));
    return { params: this.#withDefs(params), result: this.#withDefs(result), examples };
  }

  #withDefs(schema: unknown) {
    if (this.defs.size === 0 || !isPlainObject(schema)) return schema;
    this.#sharedDefs ??= lazyDefs(this.defs);
    const $defs = Object.defineProperties({}, Object.getOwnPropertyDescriptors(this.#sharedDefs));
    for (const [name, own] of Object.entries(Object(schema.$defs))) defineMember($defs, name, own);
    return { ...schema, $defs };
  }

  methodNames(source: string) {
    return [...(this.#params.get(source)?.keys() ?? [])];
  }
}

class TextWriter {
  #sources: SearchTexts['sources'] = [];
  #searched: Searched[] = [];
  #details: string[] = [];

  add(
    source: string,
    description: string,
    methods: { name: string; description: string; params: string; result: string; examples: string }[],
  ) {
    this.#sources.push({ name: source, description, first: this.#searched.length, count: methods.length });
    for (const { name, description: text, params, result, examples } of methods) {
      this.#details.push(latin1(`{"params":${params},"result":${result},"examples":${examples}}`));
      this.#searched.push({ source, name, description: text, params });
    }
    return new Map(methods.map(({ name, params }) => [name, { text: params }]));
  }

  texts() {
    return {
      ...atOnce(searchTextsIn(this.#sources, this.#searched, new WorkBudget())),
      details: this.#details.join(''),
      detailAt: offsetsOf(this.#details, 0),
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

/** Schemas that are read when they are first used. */
function lazyDefs(defs: Map<string, string>) {
  const all = {};
  for (const [name, text] of defs) {
    let known: unknown;
    const get = () => (known ??= JSON.parse(text));
    Object.defineProperty(all, name, { get, enumerable: true, configurable: true });
  }
  return all;
}

function defTexts(defs: Map<string, string>) {
  const texts = [...defs.values()].map(latin1);
  return { names: [...defs.keys()], text: texts.join(''), at: offsetsOf(texts, 0) };
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
    throw new TypeError(
      `${path} must be a JSON schema, got a schema of a library; with zod 4, pass z.toJSONSchema(schema)`,
    );
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
