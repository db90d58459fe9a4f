// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { SESExecutor } = require('../../ses/executor');
const { toHostTools } = require('./tools');

/** The executor of a smolagents-ts `CodeAgent`. Documented in `index.d.ts`. */
class SmolagentsExecutor extends SESExecutor {
  #isAutomatic;
  /** @type {import('../../../index').Tools} */
  #ownTools;
  /** @type {Promise<void> | undefined} */
  #starting;

  /** @param {import('./index').SmolagentsExecutorOptions} [options] */
  constructor(options) {
    if (options !== undefined && !isPlainObject(options)) {
      throw new TypeError(`options must be an object, got ${describe(options)}`);
    }
    const { tools = [], ...others } = /** @type {import('./index').SmolagentsExecutorOptions} */ (options ?? {});
    const { autoInit = true } = others;
    // What starts this executor also hands over its tools, so the base class must not start it by itself.
    super({ ...others, autoInit: typeof autoInit === 'boolean' ? false : autoInit });
    this.#isAutomatic = autoInit;
    this.#ownTools = toHostTools(tools);
  }

  init() {
    // A start that another call has begun serves this one too.
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    await this.#makeReady();
    await super.sendVariables(variables);
  }

  /**
   * @param {import('./index').SmolagentsTools} tools
   * @param {Record<string, string>} [pythonTools]
   */
  async sendTools(tools, pythonTools) {
    refusePython(pythonTools);
    const functions = toHostTools(tools);
    for (const name of Object.keys(this.#ownTools)) delete functions[name];
    await this.#makeReady();
    await super.sendTools(functions);
  }

  /**
   * @param {string} code
   * @param {import('../../../index').RunOptions} [options]
   * @returns {Promise<import('../../../index').CodeOutput>}
   */
  async run(code, options) {
    await this.#makeReady();
    const output = await super.run(code, options);
    // The agent's own type has three fields.
    for (const extra of ['logEntries', 'stats']) Object.defineProperty(output, extra, { enumerable: false });
    return output;
  }

  async #makeReady() {
    if (!this.#isAutomatic) return;
    const isUsable = this.state === 'READY' || this.state === 'RUNNING';
    if (!isUsable || this.#starting !== undefined) await this.init();
  }

  async #start() {
    // The agent does not know of states: its next call is what a new isolate is made for.
    if (this.#isAutomatic && this.state === 'DIRTY') await this.cleanup();
    const isNew = this.state !== 'READY';
    await super.init();
    if (isNew) await super.sendTools(this.#ownTools);
  }
}

/**
 * @param {import('./index').SmolagentsExecutorOptions} [options]
 * @returns {SmolagentsExecutor}
 */
function createSmolagentsExecutor(options) {
  return new SmolagentsExecutor(options);
}

/**
 * @param {unknown} pythonTools
 * @throws {TypeError} with the code `ERR_PYTHON_TOOL`, if there are any
 */
function refusePython(pythonTools) {
  if (pythonTools === undefined || pythonTools === null) return;
  if (!isPlainObject(pythonTools)) {
    throw new TypeError(`pythonTools must be an object of sources by name, got ${describe(pythonTools)}`);
  }
  const names = Object.keys(pythonTools);
  if (names.length === 0) return;
  const message =
    `Python tools cannot run in a JavaScript executor: ${names.join(', ')}. Give the agent tools without \`pythonCode\`, ` +
    'and give the executor Tool objects whose `forward(args)` is JavaScript: ' +
    'createSmolagentsExecutor({ tools: [tool] }) or sendTools({ name: tool })';
  throw Object.assign(new TypeError(message), { code: 'ERR_PYTHON_TOOL', tools: names });
}

module.exports = { SmolagentsExecutor, createSmolagentsExecutor };
