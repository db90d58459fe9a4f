// @ts-check
'use strict';

const { Core, FINAL, succeeded } = require('./core');
const { describe, isPlainObject } = require('../contract/describe');
const { TransferLimitError, abortedBeforeStart, reasonText, transferLimitExceeded } = require('../contract/errors');
const { defineEntries } = require('../contract/logs');
const { checkOptions, checkRunOptions } = require('../contract/options');
const { flattenTools, refuseReservedName } = require('../contract/tool-registry');
const { readOutput } = require('./output');
const { encode, withoutWire } = require('./transfer');

/** Runs agent-written JavaScript in a hardened isolate. Documented in `index.d.ts`. */
class SESExecutor {
  /** @type {Core} */
  #core;

  /** @param {import('../../index').ExecutorOptions} [options] */
  constructor(options) {
    this.#core = new Core(checkOptions(options));
  }

  get state() {
    return this.#core.native.state;
  }

  get isolation() {
    return this.#core.isolation;
  }

  async init() {
    await this.#init();
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    if (!isPlainObject(variables)) {
      throw new TypeError(`variables must be an object of values by name, got ${describe(variables)}`);
    }
    const names = Object.keys(variables);
    for (const name of names) {
      if (name === 'final_answer') throw new TypeError('variables.final_answer must have another name: it is built in');
      refuseReservedName(name, 'variables');
    }
    const values = names.map((name) => variables[name]);
    const payload = this.#encodeVariables(values, variables);
    if (this.#mustInit()) await this.#init();
    await this.#core.call((call) => this.#core.native.sendVariables(call, names, payload));
  }

  /** @param {import('../../index').Tools} tools */
  async sendTools(tools) {
    const functions = flattenTools(tools);
    if (this.#mustInit()) await this.#init();
    const { native, tools: registry } = this.#core;
    await this.#core.call((call) => {
      // In any other state the call is refused, and what is registered must stay.
      if (native.state !== 'READY') return native.sendTools(call, []);
      return native.sendTools(call, registry.replace(functions));
    });
  }

  /**
   * @param {string} code
   * @param {import('../../index').RunOptions} [options]
   */
  async run(code, options) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const { maxOperations, timeoutMs, signal, language } = checkRunOptions(options);
    const refuseIfAborted = () => {
      if (signal?.aborted) throw abortedBeforeStart(timeoutMs ?? this.#core.timeoutMs, signal.reason);
    };
    refuseIfAborted();
    if (this.#mustInit()) await this.#init();
    refuseIfAborted();
    const core = this.#core;
    const call = core.nextCall();
    const settled = core.settled(call, core.native.run(call, code, maxOperations, timeoutMs, language), true);
    const stopListening = signal && onAbort(signal, () => core.native.abort(call, reasonText(signal.reason)));
    try {
      const outcome = /** @type {import('./core').Outcome} */ (succeeded(await settled));
      const output = readOutput(outcome, core.maxTransferBytes);
      return outputOf(outcome, output instanceof Promise ? await output : output);
    } finally {
      stopListening?.();
    }
  }

  async cleanup() {
    await this.#core.cleanup();
  }

  /**
   * @param {unknown[]} values
   * @param {Record<string, unknown>} variables
   */
  #encodeVariables(values, variables) {
    const { maxTransferBytes } = this.#core;
    try {
      const list = withoutWire(values, 'variables', maxTransferBytes);
      return list ?? encode(values, 'variables', maxTransferBytes, variables);
    } catch (error) {
      throw error instanceof TransferLimitError ? transferLimitExceeded(maxTransferBytes, 'variables') : error;
    }
  }

  #mustInit() {
    return this.#core.autoInit && ['NEW', 'INITIALIZING', 'DEAD'].includes(this.state);
  }

  #init() {
    return this.#core.call((call) => this.#core.native.init(call));
  }
}
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(SESExecutor.prototype, Symbol.asyncDispose, {
    value: SESExecutor.prototype.cleanup,
    writable: true,
    configurable: true,
  });
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} abort
 * @returns {() => void} stops listening
 */
function onAbort(signal, abort) {
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/**
 * @param {import('./core').Outcome} outcome
 * @param {unknown} output
 * @returns {import('../../index').CodeOutput}
 */
function outputOf({ ending, stats, logs, logIndex }, output) {
  /** @type {any} */
  const outcome = { output, logs, is_final_answer: ending === FINAL, logEntries: [], stats };
  return logIndex === undefined ? outcome : defineEntries(outcome, logs ?? '', logIndex, { enumerable: true });
}

module.exports = { SESExecutor };
