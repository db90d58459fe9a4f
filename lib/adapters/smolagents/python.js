// @ts-check
'use strict';

const { toPythonTools } = require('./tools');
const { PyodideExecutor } = require('../../python');
const { checkPythonOptions } = require('../../python/options');

/** Options that are not the executor's. */
const OWN_OPTIONS = ['tools', 'language'];

/** The executor of a `CodeAgent` that writes Python. Documented in `index.d.ts`. */
class PythonSmolagentsExecutor extends PyodideExecutor {
  /** @type {import('../../../index').Tools} */
  #ownTools;
  /** @type {Promise<void> | undefined} */
  #starting;

  /** @param {import('./index').PythonSmolagentsExecutorOptions} options */
  constructor({ tools = [], language: _, ...options }) {
    checkPythonOptions(undefined, options, OWN_OPTIONS);
    super(undefined, options);
    this.#ownTools = toPythonTools(tools);
  }

  /** Each interpreter has the tools of the options. */
  init() {
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /**
   * @param {import('./index').SmolagentsTools} tools
   * @param {Record<string, string>} [pythonTools]
   */
  async sendTools(tools, pythonTools = {}) {
    const functions = toPythonTools(tools);
    const sources = { ...pythonTools };
    for (const name of Object.keys(this.#ownTools)) {
      delete functions[name];
      delete sources[name];
    }
    await super.sendTools(functions, sources);
  }

  /**
   * @param {string} code
   * @param {import('../../python').PythonRunOptions} [options]
   */
  async run(code, options) {
    const output = await super.run(code, options);
    // The agent's own type has three fields.
    for (const extra of ['logEntries', 'stats']) Object.defineProperty(output, extra, { enumerable: false });
    return output;
  }

  async #start() {
    const isNew = this.state !== 'READY';
    await super.init();
    if (isNew) await super.sendTools(this.#ownTools);
  }
}

module.exports = { PythonSmolagentsExecutor };
