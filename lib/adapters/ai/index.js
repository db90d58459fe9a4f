// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { isExecutor } = require('../../contract/executor');
const { refuseWrongOptions } = require('../../ses/check-options');
const { codeFrame } = require('../../ses/code-frame');
const { SESExecutor } = require('../../ses/executor');
const { toJson } = require('../../contract/render');
const { requirePeer } = require('../../contract/peer');
const { toJavaScriptSignature } = require('../prompts');
const { Session } = require('../../contract/session');
const { byIdentifier } = require('../../contract/tool-names');
const { flattenTools } = require('../../contract/tool-registry.js');

const { asSchema, jsonSchema, tool } = requirePeer('ses-executor/ai', 'ai zod', () => require('ai'));

/**
 * @typedef {import('ai').Tool} Tool
 * @typedef {import('ai').ToolExecutionOptions} ToolExecutionOptions
 * @typedef {import('./index').CodeToolResult} CodeToolResult
 */

/** What the code can call: a tool with the schemas that it is declared and checked by. */
class CallableTool {
  /** @type {Tool} */
  #tool;
  #schema;

  /**
   * @param {string} name the identifier that code calls it by
   * @param {Tool} definition
   */
  constructor(name, definition) {
    this.name = name;
    this.#tool = definition;
    this.#schema = asSchema(definition.inputSchema);
  }

  get declaration() {
    const { description, outputSchema } = this.#tool;
    return toJavaScriptSignature({
      name: this.name,
      description: description ?? '',
      inputSchema: settled(this.#schema.jsonSchema, this.name),
      ...(outputSchema !== undefined && { outputSchema: outputJsonSchema(outputSchema, this.name) }),
    });
  }

  /**
   * @param {unknown} input
   * @param {ToolExecutionOptions} options
   * @throws {Error} that says what is wrong with the input
   */
  async call(input, options) {
    const checked = await this.#schema.validate?.(input);
    if (checked !== undefined && !checked.success) {
      const message = `the input of ${this.name} is not valid: ${issuesText(checked.error)}; pass one object as declared`;
      throw Object.assign(new Error(message, { cause: checked.error }), { name: 'InvalidToolInputError' });
    }
    const execute = /** @type {NonNullable<Tool['execute']>} */ (this.#tool.execute);
    return lastOf(await execute(checked === undefined ? input : checked.value, options));
  }
}

/**
 * Makes the tool by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 */
function createCodeTool({ tools, executor, description, ...executorOptions }) {
  if (!isPlainObject(tools)) throw new TypeError(`options.tools must be an object of tools, got ${describe(tools)}`);
  if (executor !== undefined && Object.keys(executorOptions).length > 0) {
    throw new TypeError(`options.${Object.keys(executorOptions)[0]} belongs to the executor that options.executor is`);
  }
  // Wrong options are refused here and not in each result.
  if (executor === undefined) refuseWrongOptions(executorOptions);
  const callable = Object.entries(byIdentifier(tools))
    .filter(([, definition]) => isCallable(definition))
    .map(([name, definition]) => new CallableTool(name, definition));
  flattenTools(Object.fromEntries(callable.map(({ name }) => [name, () => {}])));
  const declarations = callable.map(({ declaration }) => declaration.trim()).join('\n\n');
  const session = executor === undefined ? undefined : sessionOf(executor);
  return tool({
    description: (description ?? defaultDescription(session !== undefined))(declarations),
    inputSchema: codeSchema(executorOptions.language),
    execute: async (/** @type {{ code: string }} */ { code }, options) => {
      const own = session ?? new Session(new SESExecutor(executorOptions), { livesOn: false, codeFrame });
      try {
        return await run(own, code, callable, options);
      } finally {
        if (own !== session) await own.close();
      }
    },
  });
}

/** @param {import('../../../index').Executor} executor */
function sessionOf(executor) {
  if (isExecutor(executor)) return new Session(executor, { livesOn: true, codeFrame });
  throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
}

/**
 * @param {Session} session
 * @param {string} code
 * @param {CallableTool[]} callable
 * @param {ToolExecutionOptions} options
 * @returns {Promise<CodeToolResult>}
 */
async function run(session, code, callable, options) {
  const { abortSignal } = options;
  // Tools that nobody waits for any more should know it.
  const ended = new AbortController();
  const abort = () => ended.abort(abortSignal?.reason);
  abortSignal?.addEventListener('abort', abort);
  const toolOptions = { ...options, abortSignal: ended.signal };
  const tools = Object.fromEntries(callable.map((it) => [it.name, async (input = {}) => it.call(input, toolOptions)]));
  try {
    const { output, failure, logs } = await session.run(code, { tools, signal: abortSignal });
    return failure === undefined ? { output: toJson(output), logs } : { error: failure, logs };
  } finally {
    abortSignal?.removeEventListener('abort', abort);
    ended.abort();
  }
}

/**
 * Tools that a person has to approve, and those that run elsewhere, cannot be called from code.
 *
 * @param {Tool} definition
 */
function isCallable({ execute, needsApproval }) {
  return typeof execute === 'function' && (needsApproval === undefined || needsApproval === false);
}

/** @param {boolean} livesOn */
function defaultDescription(livesOn) {
  return (/** @type {string} */ declarations) =>
    `Runs JavaScript that can call the functions below, and gives what its \
last expression or a top-level \`return\` gives. Use it instead of several calls of single tools: call, loop, filter \
and combine in one program, and give back only what is needed. \`await\` works at the top level. console.log is \
collected. There is no network, no file system, no timer and no import: only the language and these functions. \
${livesOn ? 'Variables and functions live on from call to call.' : 'Each call starts afresh.'}

${declarations}`.trimEnd();
}

/** @param {import('../../../index').Language | undefined} language that the code has to be in */
function codeSchema(language) {
  return jsonSchema(
    {
      type: 'object',
      properties: { code: { type: 'string', description: `The program to run, in ${languageText(language)}` } },
      required: ['code'],
      additionalProperties: false,
    },
    {
      validate: (value) =>
        isPlainObject(value) && typeof value.code === 'string'
          ? { success: true, value: { code: value.code } }
          : { success: false, error: new TypeError('the input must be an object with the string `code`') },
    },
  );
}

/** @param {import('../../../index').Language | undefined} language */
function languageText(language) {
  if (language === 'typescript') return 'TypeScript';
  return language === 'javascript' ? 'JavaScript' : 'JavaScript or TypeScript';
}

/**
 * The JSON schema of what a schema gives, which for some is not what it takes. Undefined if JSON schema cannot say it.
 *
 * @param {any} schema
 * @param {string} name
 */
function outputJsonSchema(schema, name) {
  const convert = schema['~standard']?.jsonSchema?.output;
  if (convert === undefined) return settled(asSchema(schema).jsonSchema, name);
  try {
    return convert({ target: 'draft-07' });
  } catch {
    return undefined;
  }
}

/**
 * @param {ReturnType<typeof asSchema>['jsonSchema']} schema
 * @param {string} name
 */
function settled(schema, name) {
  if (!('then' in schema)) return /** @type {import('../prompts').JsonSchema} */ ({ ...schema });
  throw new TypeError(`a schema of the tool ${name} is a promise; await it before createCodeTool is called`);
}

/** @param {Error & { issues?: unknown, cause?: unknown }} error of a validation */
function issuesText(error) {
  const issues = Array.isArray(error.issues) ? error.issues : error.cause;
  if (!Array.isArray(issues)) return error.message;
  return issues
    .map(({ path = [], message }) => (path.length === 0 ? message : `${path.map(keyOf).join('.')}: ${message}`))
    .join('; ');
}

/** @param {PropertyKey | { key: PropertyKey }} part of a path, in either form that Standard Schema has */
function keyOf(part) {
  return String(typeof part === 'object' ? part.key : part);
}

/**
 * The result of a tool; of one that gives preliminary results, the last.
 *
 * @param {any} result
 */
async function lastOf(result) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result;
  let last;
  for await (const part of result) last = part;
  return last;
}

module.exports = { createCodeTool };
