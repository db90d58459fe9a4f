import { describe, isPlainObject } from '../../contract/describe';
import { closest } from '../../contract/options';
import {
  MAX_PARTS,
  TOO_SLOW,
  holdsSchemas,
  isStandardSchema,
  isTimed,
  issuesText,
  jsonSchemaOf,
  validate,
} from '../../contract/standard-schema';
import { byIdentifier } from '../../contract/tool-names';
import { describeHolder, flattenTools, isNamespace } from '../../contract/tool-registry.js';
import { isFarLargerSerialized } from '../../contract/serialized-size';
import { JsonInput } from './json-input';
import { hasMoreParts } from '../../contract/parts';
import { JsonSchema } from '../../json-schema';
import { readDefinition } from '../prompts/definition';
import { takesNull } from '../../catalog/schema-types';
import { INPUT_KEYS, OUTPUT_KEYS, inputSchemaOf, outputSchemaOf } from '../../catalog/tool-schemas';
import { namedArguments } from '../../python/named-arguments';
import type { DeclaredFunction } from '../../catalog/type-declarations';
import type { Foreign } from '../../contract/foreign';
import type { CallContext, CodeToolDefinition } from './types';
import type { Tool } from '../../contract/tool-registry';
import type { Definition } from '../../contract/tool-traits';
import type { LanguageText } from './language';
import type { Issue } from '../../contract/standard-schema';

/** Keys of a tool, except those for its name. */
const KEYS = ['description', ...INPUT_KEYS, ...OUTPUT_KEYS, 'needsApproval', 'execute'];
const NAME_KEYS = ['name', 'id'];
/**
 * Number of parts from which JSON Schema checks an input first, if the library's check cannot be stopped when it takes
 * long: with unions of a hundred alternatives, 200 invalid parts take about 25 milliseconds.
 */
const MANY_PARTS = 200;

/** A callable of the code: a function, or a tool with the schemas that declare and check it. */
export class CallableTool {
  name;

  #definition;
  #jsonInput: JsonInput | undefined;
  #keywords: ReturnType<typeof keywordsOf> | undefined;
  /** Schemas of input and output as JSON Schema. */
  #schemas: Record<'input' | 'output', object | undefined> | undefined;
  takesObject = true as const;
  /** Description and JSON Schemas. The schemas are converted when they are read. */
  readonly plainDefinition: Definition;

  /** @param name the identifier that code uses for the tool */
  constructor(name: string, definition: CodeToolDefinition) {
    if (!isDefinition(definition)) {
      const given = isPlainObject(definition) ? describe(definition) : describeHolder(definition);
      throw new TypeError(
        `the tool ${name} must be a function, a namespace of functions, or an object with a function \`execute\`, got ${given}`,
      );
    }
    refuseOtherKeys(name, definition);
    const { description } = definition;
    if (description !== undefined && description !== null && typeof description !== 'string') {
      throw new TypeError(`the description of the tool ${name} must be a string, got ${describe(description)}`);
    }
    this.name = name;
    this.#definition = definition;
    const schemas = () => (this.#schemas ??= this.#plainSchemas());
    this.plainDefinition = {
      description: description ?? '',
      get inputSchema() {
        return schemas().input ?? {};
      },
      get outputSchema() {
        return schemas().output ?? {};
      },
    };
  }

  /** The same tool under the name that the language uses for it inside a namespace. */
  in(language: LanguageText) {
    const name = memberName(this.name.split('.'), language);
    return name === this.name ? this : new CallableTool(name, this.#definition);
  }

  declared(description: string | undefined = this.#definition.description): DeclaredFunction {
    this.#schemas ??= this.#plainSchemas();
    return { name: this.name, description: description ?? '', ...this.#schemas, isAsync: true };
  }

  #plainSchemas() {
    const output = outputSchemaOf(this.#definition);
    return {
      input: this.#inputSchema,
      output: output === undefined ? undefined : plainSchema(output, 'output', this.name),
    };
  }

  /** Converts positional arguments to the input of the tool. */
  named(args: unknown[]): unknown {
    const { names, withoutNull } = (this.#keywords ??= keywordsOf(this.name, this.#inputSchema));
    // The input of a record or a list has no parameter names. It is the single argument.
    if (names.length === 0 && args.length === 1) return args[0];
    const given = Object.entries(namedArguments(names, args));
    return Object.fromEntries(given.filter(([name, value]) => value !== null || !withoutNull.has(name)));
  }

  get #inputSchema() {
    return plainSchema(inputSchemaOf(this.#definition) ?? { type: 'object' }, 'input', this.name);
  }

  /** @throws {Error} whose message states what is wrong with the input */
  async call(input: unknown, of: Omit<CallContext, 'input'>) {
    const { execute, needsApproval } = this.#definition;
    const { value, given } = await this.#checked(input, of.signal);
    const context = { ...of, input: given };
    const mustAsk = typeof needsApproval === 'function' ? await needsApproval(value, context) : needsApproval;
    if (mustAsk) await context.approve(this.name, value);
    return lastOf(await execute(value, context), of.signal);
  }

  /** @returns the value that the schema produces from the input, and the input as it was checked */
  async #checked(input: unknown, signal: AbortSignal): Promise<{ value: unknown; given: unknown }> {
    const inputSchema = inputSchemaOf(this.#definition);
    if (inputSchema === undefined || inputSchema === null) {
      // Frameworks serialize inputs as JSON.
      if (!(await isFarLargerSerialized(input, signal))) return { value: input, given: input };
      throw this.#invalid('it would be far larger as JSON, because parts of it occur many times');
    }
    if (isStandardSchema(inputSchema)) {
      const result = await this.#checkedByLibrary(inputSchema, input, signal);
      if ('value' in result) return { value: result.value, given: input };
      throw this.#invalid(`${issuesText(result.issues)}; pass one object as declared`, result.issues);
    }
    const result = await (this.#jsonInput ??= new JsonInput(inputSchema)).validate(input, signal);
    if ('value' in result) return { value: result.value, given: result.value };
    throw this.#invalid(`${issuesText(result.issues)}; pass one object as declared`, result.issues);
  }

  async #checkedByLibrary(inputSchema: Foreign, input: unknown, signal: AbortSignal) {
    const most = isTimed(inputSchema) ? MAX_PARTS : MANY_PARTS;
    const found = hasMoreParts(input, most) ? await this.#issuesByJsonSchema(input, signal) : [];
    if (found.length > 0) return { issues: found };
    const result = await validate(inputSchema, input);
    if (!('issues' in result) || result.issues[0] !== TOO_SLOW) return result;
    // JSON Schema may find these parts.
    return { issues: [...(await this.#issuesByJsonSchema(input, signal)).slice(0, 3), TOO_SLOW] };
  }

  /**
   * Checks a large input against the JSON Schema that a library derived from its own schema. The library itself takes
   * about 30 microseconds for each invalid part, and nothing can interrupt it.
   *
   * @returns an empty list if the library must check the input
   */
  async #issuesByJsonSchema(input: unknown, signal: AbortSignal): Promise<readonly Issue[]> {
    try {
      const { issues = [] } = await new JsonSchema(this.#inputSchema, { isLenient: true }).check(input, signal);
      // JSON Schema has no pattern flags.
      return issues.some(({ keyword }) => keyword === 'pattern') ? [] : issues.map(({ message }) => ({ message }));
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }

  #invalid(reason: string, cause?: unknown) {
    const error = new Error(`the input of ${this.name} is not valid: ${reason}`, { cause });
    return Object.assign(error, { name: 'InvalidToolInputError' });
  }
}

/**
 * The keywords that Python uses to call a tool.
 *
 * @param inputSchema JSON Schema
 * @returns the keywords in the order of the schema, and the keywords that are omitted when their value is `None`:
 *   their declarations allow no other meaning
 */
function keywordsOf(name: string, inputSchema: Foreign): { names: string[]; withoutNull: Set<string> } {
  const { parameters, isWhole, context } = readDefinition({ name, inputSchema });
  const optional = isWhole ? [] : parameters.filter(({ isOptional }) => isOptional);
  const withoutNull = optional.filter(({ schema }) => !takesNull(schema, context.root));
  return {
    names: Object.keys(Object(inputSchema.properties)),
    withoutNull: new Set(withoutNull.map((parameter) => parameter.name)),
  };
}

/** A function that code calls with arbitrary arguments. */
class CallableFunction {
  name;

  #tool;
  takesObject = false as const;

  constructor(tool: Tool, language: LanguageText) {
    this.name = memberName(tool.path, language);
    this.#tool = tool;
  }

  declared() {
    return declaredFunction(this.name, { ...this.#tool, isAsync: true });
  }

  async call(...args: unknown[]) {
    const { fn, self } = this.#tool;
    return Reflect.apply(fn, self, args);
  }
}

/** @param path name of a global, followed by the names of its members */
function memberName([first, ...rest]: string[], { memberIdentifier }: LanguageText) {
  return [first, ...rest.map(memberIdentifier)].join('.');
}

/**
 * Rejects unknown keys. Otherwise schemas and approval rules under a wrong key would be ignored silently.
 *
 * @throws {TypeError}
 */
function refuseOtherKeys(name: string, definition: object) {
  for (const [key, value] of Object.entries(definition)) {
    if (value === undefined || KEYS.includes(key) || NAME_KEYS.includes(key)) continue;
    const close = closest(key, KEYS);
    const hint = close === undefined ? `the keys are ${[...NAME_KEYS, ...KEYS].join(', ')}` : `did you mean ${close}?`;
    throw new TypeError(`${describe(key)} of the tool ${name} is not a key of tools; ${hint}`);
  }
}

export function declaredFunction(name: string, { definition, isAsync }: Tool): DeclaredFunction {
  const { description = '', inputSchema: input, outputSchema: output } = definition ?? {};
  return { name, description, input, output, isAsync };
}

/** Whether a tool is a definition and not only a function. */
export function isDefinition(tool: Foreign) {
  return isPlainObject(tool) && typeof tool.execute === 'function';
}

/** @throws {TypeError} for values that are not tools, and for names that are ambiguous or cannot be called */
export function callables(tools: unknown, language: LanguageText): (CallableTool | CallableFunction)[] {
  const named = Object.entries(byIdentifier(byName(tools), language.identifier));
  const callable = named.flatMap(([name, tool]) => callablesOf(name, tool, language));
  refuseSameNames(callable);
  refuseUncallable(callable.map(({ name }) => name.split('.')[0]));
  return callable;
}

/**
 * Rejects names of globals that are reserved or that code cannot call.
 *
 * @throws {TypeError}
 */
export function refuseUncallable(names: string[]) {
  // Executors replace a tool of this name with their own function, which ends the run. The tool would be declared but
  // never called.
  if (names.includes('final_answer')) {
    throw new TypeError('tools.final_answer must have another name: `final_answer` is reserved');
  }
  flattenTools(Object.fromEntries(names.map((name) => [name, () => {}])));
}

/** @throws {TypeError} if two tools have the same name */
export function refuseSameNames(callable: { name: string }[]) {
  const names = new Set();
  for (const { name } of callable) {
    if (names.has(name)) throw new TypeError(`two functions would both be called ${name} in code; rename one of them`);
    names.add(name);
  }
}

function callablesOf(name: string, tool: Foreign, language: LanguageText): (CallableTool | CallableFunction)[] {
  if (typeof tool !== 'function' && (isDefinition(tool) || !isNamespace(tool))) return [new CallableTool(name, tool)];
  return flattenTools({ [name]: tool }).map((it) => new CallableFunction(it, language));
}

/** @param tools tools by name, or a list of tools with a `name` or with Mastra's `id` */
export function byName(tools: Foreign): Record<string, Foreign> {
  if (isPlainObject(tools)) return tools;
  if (!Array.isArray(tools)) {
    throw new TypeError(`options.tools must be an object of tools by name, or an array, got ${describe(tools)}`);
  }
  const named: Map<string, unknown> = new Map();
  tools.forEach((tool, index) => {
    const { id, name = id } = Object(tool);
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(`options.tools[${index}].name must be a non-empty string, got ${describe(name)}`);
    }
    if (named.has(name)) throw new TypeError(`options.tools[${index}] has a name that another tool has: ${name}`);
    named.set(name, tool);
  });
  return Object.fromEntries(named);
}

function plainSchema(schema: Foreign, side: 'input' | 'output', tool: string) {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema, side, `the ${side} schema of the tool ${tool}`);
  const isRecord = holdsSchemas(schema);
  if (isPlainObject(schema) && !isRecord) return schema;
  const given = isRecord ? 'an object of schemas: wrap it in z.object()' : describe(schema);
  throw new TypeError(`the ${side} schema of the tool ${tool} must be JSON Schema or a Standard Schema, got ${given}`);
}

/**
 * Returns the result of a tool. If the tool yields preliminary results, it is the last one.
 *
 * @param signal aborted when the caller no longer waits for the result
 * @throws {TypeError} for a stream of bytes or of parts of a string: the last item would only be a part
 */
async function lastOf(result: Foreign, signal: AbortSignal) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result;
  const isStream = typeof result.getReader === 'function' || typeof result.pipe === 'function';
  let last;
  for await (const part of result) {
    if (signal.aborted) return undefined;
    if (isStream && (typeof part === 'string' || ArrayBuffer.isView(part))) {
      throw new TypeError('the result is a stream; read it and return its content');
    }
    last = part;
  }
  return last;
}
