// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { closest } = require('../../contract/options');
const {
  holdsSchemas,
  isStandardSchema,
  issuesText,
  jsonSchemaOf,
  validate,
} = require('../../contract/standard-schema');
const { byIdentifier } = require('../../contract/tool-names');
const { describeHolder, flattenTools, isNamespace } = require('../../contract/tool-registry.js');
const { isFarLargerSerialized } = require('../../contract/serialized-size');
const { JsonInput } = require('./json-input');
const { hasMoreParts } = require('../../contract/parts');
const { JsonSchema } = require('../../json-schema');
const { languageText } = require('./language');
const { INPUT_KEYS, OUTPUT_KEYS, inputSchemaOf, outputSchemaOf, readDefinition } = require('../prompts/definition');
const { takesNull } = require('../prompts/schema-types');
const { namedArguments } = require('../../python/named-arguments');

/**
 * @typedef {import('./index').CodeToolDefinition} CodeToolDefinition
 * @typedef {import('./index').CallContext} CallContext
 * @typedef {import('../../contract/tool-registry').Tool} Tool
 */

/** Keys of a tool, but for those of its names. */
const KEYS = ['description', ...INPUT_KEYS, ...OUTPUT_KEYS, 'needsApproval', 'execute'];
const NAME_KEYS = ['name', 'id'];
/** Parts from which on an input is checked by JSON Schema before a library checks it. */
const MANY_PARTS = 2_000;

/** What code can call: a function, or a tool with the schemas that it is declared and checked by. */
class CallableTool {
  #definition;
  /** @type {JsonInput | undefined} */
  #jsonInput;
  /** @type {ReturnType<typeof keywordsOf> | undefined} */
  #keywords;
  takesObject = /** @type {const} */ (true);

  /**
   * @param {string} name the identifier that code calls it by
   * @param {CodeToolDefinition} definition
   */
  constructor(name, definition) {
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
  }

  /**
   * The same as code in a language calls it, if it is in a namespace.
   *
   * @param {import('./language').LanguageText} language
   */
  in(language) {
    const name = memberName(this.name.split('.'), language);
    return name === this.name ? this : new CallableTool(name, this.#definition);
  }

  /**
   * @param {import('./language').LanguageText} [language]
   * @param {string} [description]
   */
  declaration(language = languageText(), description = this.#definition.description) {
    const outputSchema = outputSchemaOf(this.#definition);
    const output = outputSchema === undefined ? undefined : plainSchema(outputSchema, 'output', this.name);
    return language.declare({
      name: this.name,
      description: description ?? '',
      inputSchema: this.#inputSchema,
      ...(output !== undefined && { outputSchema: output }),
    });
  }

  /**
   * The input that the tool takes, of arguments one by one.
   *
   * @param {unknown[]} args
   * @returns {unknown}
   */
  named(args) {
    const { names, withoutNull } = (this.#keywords ??= keywordsOf(this.name, this.#inputSchema));
    // Of what has no names, a record or a list, it is the one argument.
    if (names.length === 0 && args.length === 1) return args[0];
    const given = Object.entries(namedArguments(names, args));
    return Object.fromEntries(given.filter(([name, value]) => value !== null || !withoutNull.has(name)));
  }

  get #inputSchema() {
    return plainSchema(inputSchemaOf(this.#definition) ?? { type: 'object' }, 'input', this.name);
  }

  /**
   * @param {unknown} input
   * @param {Omit<CallContext, 'input'>} of
   * @throws {Error} that says what is wrong with the input
   */
  async call(input, of) {
    const { execute, needsApproval } = this.#definition;
    const { value, given } = await this.#checked(input, of.signal);
    const context = { ...of, input: given };
    const mustAsk = typeof needsApproval === 'function' ? await needsApproval(value, context) : needsApproval;
    if (mustAsk) await context.approve(this.name, value);
    return lastOf(await execute(value, context), of.signal);
  }

  /**
   * @param {unknown} input
   * @param {AbortSignal} signal
   * @returns {Promise<{ value: unknown, given: unknown }>} what the schema makes of the input, and what it was checked as
   */
  async #checked(input, signal) {
    const inputSchema = inputSchemaOf(this.#definition);
    if (inputSchema === undefined || inputSchema === null) {
      // Frameworks write inputs as JSON.
      if (!(await isFarLargerSerialized(input, signal))) return { value: input, given: input };
      throw this.#invalid('it would be far larger when it is written as JSON, since parts of it occur many times');
    }
    if (isStandardSchema(inputSchema)) {
      const found = hasMoreParts(input, MANY_PARTS) ? await this.#issuesByJsonSchema(input, signal) : [];
      const result = found.length > 0 ? { issues: found } : await validate(inputSchema, input);
      if ('value' in result) return { value: result.value, given: input };
      throw this.#invalid(`${issuesText(result.issues)}; pass one object as declared`, result.issues);
    }
    const result = await (this.#jsonInput ??= new JsonInput(inputSchema)).validate(input, signal);
    if ('value' in result) return { value: result.value, given: result.value };
    throw this.#invalid(`${issuesText(result.issues)}; pass one object as declared`, result.issues);
  }

  /**
   * What is wrong with a large input by the JSON Schema that a library has made of its schema. The library itself would take some 30
   * microseconds for each wrong part, and nothing could interrupt it.
   *
   * @param {unknown} input
   * @param {AbortSignal} signal
   * @returns {Promise<readonly import('../../contract/standard-schema').Issue[]>} none if that is for the library to say
   */
  async #issuesByJsonSchema(input, signal) {
    try {
      const { issues = [] } = await new JsonSchema(this.#inputSchema, { isLenient: true }).check(input, signal);
      // JSON Schema has no flags of patterns.
      return issues.some(({ keyword }) => keyword === 'pattern') ? [] : issues.map(({ message }) => ({ message }));
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }

  /**
   * @param {string} reason
   * @param {unknown} [cause]
   */
  #invalid(reason, cause) {
    const error = new Error(`the input of ${this.name} is not valid: ${reason}`, { cause });
    return Object.assign(error, { name: 'InvalidToolInputError' });
  }
}

/**
 * The keywords that Python calls a tool with.
 *
 * @param {string} name
 * @param {any} inputSchema JSON Schema
 * @returns {{ names: string[], withoutNull: Set<string> }} in their order, and those of which `None`, as they are declared, can
 * only mean that they are left out
 */
function keywordsOf(name, inputSchema) {
  const { parameters, isWhole, context } = readDefinition({ name, inputSchema });
  const optional = isWhole ? [] : parameters.filter(({ isOptional }) => isOptional);
  const withoutNull = optional.filter(({ schema }) => !takesNull(schema, context.root));
  return {
    names: Object.keys(Object(inputSchema.properties)),
    withoutNull: new Set(withoutNull.map((parameter) => parameter.name)),
  };
}

/** A function that code calls with whatever arguments. */
class CallableFunction {
  #tool;
  takesObject = /** @type {const} */ (false);

  /**
   * @param {Tool} tool
   * @param {import('./language').LanguageText} language
   */
  constructor(tool, language) {
    this.name = memberName(tool.path, language);
    this.#tool = tool;
  }

  /** @param {import('./language').LanguageText} [language] */
  declaration(language = languageText()) {
    return functionDeclaration(this.name, { ...this.#tool, isAsync: true }, language);
  }

  /** @param {unknown[]} args */
  async call(...args) {
    const { fn, self } = this.#tool;
    return Reflect.apply(fn, self, args);
  }
}

/**
 * @param {string[]} path name of a global, and those behind it
 * @param {import('./language').LanguageText} language
 */
function memberName([first, ...rest], { memberIdentifier }) {
  return [first, ...rest.map(memberIdentifier)].join('.');
}

/**
 * What is not known would be left out without a word: schemas, and who has to approve a call.
 *
 * @param {string} name
 * @param {object} definition
 * @throws {TypeError}
 */
function refuseOtherKeys(name, definition) {
  for (const [key, value] of Object.entries(definition)) {
    if (value === undefined || KEYS.includes(key) || NAME_KEYS.includes(key)) continue;
    const close = closest(key, KEYS);
    const hint = close === undefined ? `the keys are ${[...NAME_KEYS, ...KEYS].join(', ')}` : `did you mean ${close}?`;
    throw new TypeError(`${describe(key)} of the tool ${name} is not a key of tools; ${hint}`);
  }
}

/**
 * @param {string} name
 * @param {Tool} tool
 * @param {import('./language').LanguageText} language
 */
function functionDeclaration(name, { definition, isAsync }, language) {
  if (definition === undefined) return language.declareFunction(name, isAsync);
  return language.declare({ name, ...definition, async: isAsync });
}

/**
 * Whether a tool has more to it than a function.
 *
 * @param {any} tool
 */
function isDefinition(tool) {
  return isPlainObject(tool) && typeof tool.execute === 'function';
}

/**
 * @param {unknown} tools
 * @param {import('./language').LanguageText} language
 * @returns {(CallableTool | CallableFunction)[]}
 * @throws {TypeError} for what are no tools, and for names that cannot be called or told apart
 */
function callables(tools, language) {
  const named = Object.entries(byIdentifier(byName(tools), language.identifier));
  const callable = named.flatMap(([name, tool]) => callablesOf(name, tool, language));
  refuseSameNames(callable);
  refuseUncallable(callable.map(({ name }) => name.split('.')[0]));
  return callable;
}

/**
 * Refuses names of globals that are reserved, or that code cannot call.
 *
 * @param {string[]} names
 * @throws {TypeError}
 */
function refuseUncallable(names) {
  // Executors leave a tool of that name out for their own function, which ends the run: it would be declared, and never called.
  if (names.includes('final_answer')) {
    throw new TypeError('tools.final_answer must have another name: `final_answer` is reserved');
  }
  flattenTools(Object.fromEntries(names.map((name) => [name, () => {}])));
}

/**
 * @param {{ name: string }[]} callable
 * @throws {TypeError} if two have one name
 */
function refuseSameNames(callable) {
  const names = new Set();
  for (const { name } of callable) {
    if (names.has(name)) throw new TypeError(`two functions would both be called ${name} in code; rename one of them`);
    names.add(name);
  }
}

/**
 * @param {string} name
 * @param {any} tool
 * @param {import('./language').LanguageText} language
 * @returns {(CallableTool | CallableFunction)[]}
 */
function callablesOf(name, tool, language) {
  if (typeof tool !== 'function' && (isDefinition(tool) || !isNamespace(tool))) return [new CallableTool(name, tool)];
  return flattenTools({ [name]: tool }).map((it) => new CallableFunction(it, language));
}

/**
 * @param {any} tools by name, or a list of tools that have one, or the `id` that Mastra's have instead
 * @returns {Record<string, any>}
 */
function byName(tools) {
  if (isPlainObject(tools)) return tools;
  if (!Array.isArray(tools)) {
    throw new TypeError(`options.tools must be an object of tools by name, or an array, got ${describe(tools)}`);
  }
  /** @type {Map<string, unknown>} */
  const named = new Map();
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

/**
 * @param {any} schema
 * @param {'input' | 'output'} side
 * @param {string} tool
 */
function plainSchema(schema, side, tool) {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema, side, `the ${side} schema of the tool ${tool}`);
  const isRecord = holdsSchemas(schema);
  if (isPlainObject(schema) && !isRecord) return schema;
  const given = isRecord ? 'an object of such: z.object() makes a schema of it' : describe(schema);
  throw new TypeError(`the ${side} schema of the tool ${tool} must be JSON Schema or a Standard Schema, got ${given}`);
}

/**
 * The result of a tool; of one that gives preliminary results, the last.
 *
 * @param {any} result
 * @param {AbortSignal} signal aborted when nobody waits for it any more
 * @throws {TypeError} for a stream whose parts are bytes or pieces of a text: the last is a piece, too
 */
async function lastOf(result, signal) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result;
  const isStream = typeof result.getReader === 'function' || typeof result.pipe === 'function';
  let last;
  for await (const part of result) {
    if (signal.aborted) return undefined;
    if (isStream && (typeof part === 'string' || ArrayBuffer.isView(part))) {
      throw new TypeError('the result is a stream; give what has been read of it');
    }
    last = part;
  }
  return last;
}

module.exports = {
  CallableTool,
  byName,
  callables,
  functionDeclaration,
  isDefinition,
  refuseSameNames,
  refuseUncallable,
};
