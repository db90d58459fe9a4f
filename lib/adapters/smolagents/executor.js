// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { ExecutorError } = require('../../contract/errors');
const { OFFER, isExecutor, offerOf, refuseBeside } = require('../../contract/executor');
const { optionsOf } = require('../../contract/options');
const { flattenTools } = require('../../contract/tool-registry');
const { SESExecutor } = require('../../ses/executor');
const { PythonSmolagentsExecutor } = require('./python');
const { toHostTools } = require('./tools');

/** The executor of a smolagents-ts `CodeAgent`. Documented in `index.d.ts`. */
class SmolagentsExecutor {
  /** @type {import('../../../index').Executor} */
  #executor = /** @type {any} */ (undefined);
  #isAutomatic;
  /** @type {import('../../../index').Tools} */
  #ownTools = {};
  /** Whether the isolate has them. */
  #hasOwnTools = false;
  /** @type {Promise<void> | undefined} */
  #starting;

  /** @param {import('./index').SmolagentsExecutorOptions} [options] */
  constructor(options) {
    const own = options === undefined ? {} : optionsOf(options, 'options');
    // @ts-expect-error: an executor of the other language, which has the same methods.
    if (own.language === 'python') return new PythonSmolagentsExecutor(own);
    const {
      tools = [],
      autoInit = true,
      executor,
      ...others
    } = /** @type {import('./index').SmolagentsExecutorOptions} */ (own);
    if (typeof autoInit !== 'boolean') {
      throw new TypeError(`options.autoInit must be a boolean, got ${describe(autoInit)}`);
    }
    // What starts it also hands over the tools, so it must not start by itself.
    this.#executor = executor === undefined ? new SESExecutor({ ...others, autoInit: false }) : given(executor, others);
    this.#isAutomatic = autoInit;
    this.#ownTools = toHostTools(tools);
  }

  get state() {
    return this.#executor.state;
  }

  get isolation() {
    return /** @type {any} */ (this.#executor).isolation;
  }

  /** For descriptions of what code can use; not part of the contract. */
  get [OFFER]() {
    const { tools = [], ...others } = offerOf(this.#executor);
    const sent = tools.filter(({ path }) => !Object.hasOwn(this.#ownTools, path[0]));
    return { ...others, tools: [...flattenTools(this.#ownTools), ...sent] };
  }

  init() {
    // A start that another call has begun serves this one too.
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    await this.#makeReady();
    await this.#executor.sendVariables(variables);
  }

  /**
   * @param {import('./index').SmolagentsTools} tools
   * @param {Record<string, string>} [pythonTools]
   */
  async sendTools(tools, pythonTools) {
    const functions = toHostTools(tools);
    refusePython(pythonTools, { ...functions, ...this.#ownTools });
    for (const name of Object.keys(this.#ownTools)) delete functions[name];
    await this.#makeReady();
    await this.#executor.sendTools(functions);
  }

  /**
   * @param {string} code
   * @param {import('../../../index').RunOptions} [options]
   * @returns {Promise<import('../../../index').CodeOutput>}
   */
  async run(code, options) {
    await this.#makeReady();
    const output = await this.#executor.run(code, options).catch(throwExplained);
    // The agent's own type has three fields.
    for (const extra of ['logEntries', 'stats']) Object.defineProperty(output, extra, { enumerable: false });
    return output;
  }

  async cleanup() {
    this.#hasOwnTools = false;
    await this.#executor.cleanup();
  }

  async #makeReady() {
    if (!this.#isAutomatic) return;
    const isUsable = this.state === 'READY' || this.state === 'RUNNING';
    if (!isUsable || this.#starting !== undefined) await this.init();
    else if (!this.#hasOwnTools) await this.#sendOwnTools();
  }

  async #start() {
    // The agent does not know of states: its next call is what a new isolate is made for.
    if (this.#isAutomatic && this.state === 'DIRTY') await this.cleanup();
    if (this.state !== 'READY') this.#hasOwnTools = false;
    await this.#executor.init();
    if (!this.#hasOwnTools) await this.#sendOwnTools();
  }

  async #sendOwnTools() {
    await this.#executor.sendTools(this.#ownTools);
    this.#hasOwnTools = true;
  }
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(SmolagentsExecutor.prototype, Symbol.asyncDispose, {
    value: SmolagentsExecutor.prototype.cleanup,
    writable: true,
    configurable: true,
  });
}

/**
 * An executor of the caller's, which has its own options.
 *
 * @param {unknown} executor
 * @param {object} others
 */
function given(executor, others) {
  if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
  if (/** @type {any} */ (executor).isolation === 'run') {
    throw new TypeError("options.executor must keep what earlier runs have left: make it with isolation: 'session'");
  }
  refuseBeside(others, ['tools', 'autoInit', 'executor']);
  return executor;
}

/**
 * @param {any} [options]
 * @returns {any}
 */
function createSmolagentsExecutor(options) {
  return new SmolagentsExecutor(options);
}

/**
 * An agent shows its model the message of an error, and nothing else of it.
 *
 * @param {unknown} error
 * @returns {never}
 */
function throwExplained(error) {
  if (error instanceof ExecutorError) {
    const { explanation } = error;
    for (const key of ['message', 'explanation']) {
      Object.defineProperty(error, key, { value: explanation, writable: true, configurable: true });
    }
  }
  throw error;
}

/**
 * Sources of tools that are here as functions too are not needed.
 *
 * @param {unknown} pythonTools
 * @param {object} functions
 * @throws {TypeError} with the code `ERR_PYTHON_TOOL`, if there are any
 */
function refusePython(pythonTools, functions) {
  if (pythonTools === undefined || pythonTools === null) return;
  if (!isPlainObject(pythonTools)) {
    throw new TypeError(`pythonTools must be an object of sources by name, got ${describe(pythonTools)}`);
  }
  const names = Object.keys(pythonTools).filter((name) => !Object.hasOwn(functions, name));
  if (names.length === 0) return;
  const message =
    `Python tools cannot run in a JavaScript executor: ${names.join(', ')}. Give the agent tools without \`pythonCode\`, ` +
    'and give the executor Tool objects whose `forward(args)` is JavaScript: ' +
    'createSmolagentsExecutor({ tools: [tool] }) or sendTools({ name: tool })';
  throw Object.assign(new TypeError(message), { code: 'ERR_PYTHON_TOOL', tools: names });
}

module.exports = { SmolagentsExecutor, createSmolagentsExecutor };
