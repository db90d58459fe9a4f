// @ts-check
'use strict';

const { ENDING } = require('../contract/boundary-numbers');
const { NativeConnection, succeeded } = require('./native-connection');
const { describe } = require('../contract/describe');
const { ExecutorError, abortedBeforeStart, reasonText } = require('../contract/errors');
const { OFFER } = require('../contract/executor');
const { needsInit } = require('../contract/lifecycle');
const { defineEntries } = require('../contract/logs');
const { checkOptions, checkRunOptions } = require('../contract/options');
const { onAbort } = require('../contract/signals');
const { SharedStartup } = require('../contract/shared-startup');
const { flattenTools, refuseReservedName } = require('../contract/tool-registry');
const { traceRun } = require('../contract/tracing');
const { encodeVariables, namesOfVariables } = require('../contract/variables');
const { readOutput } = require('./output');
const { encode, withoutWire } = require('./transfer');

/** Runs agent-written JavaScript in a hardened isolate. Documented in `index.d.ts`. */
class SESExecutor {
  /** @type {NativeConnection} */
  #connection;
  #renewal = new SharedStartup();
  /** Whether the isolate is new, and no run has said so. */
  #isRenewed = false;

  /**
   * @param {import('../../index').ExecutorOptions} [options]
   * @param {import('./native-connection').PythonSeam} [python] for an isolate that runs Python; not part of the contract
   */
  constructor(options, python) {
    this.#connection = new NativeConnection(checkOptions(options), python);
  }

  get state() {
    return this.#connection.native.state;
  }

  get isolation() {
    return this.#connection.isolation;
  }

  /** For descriptions of what code can use; not part of the contract. */
  get [OFFER]() {
    return this.#connection.offer;
  }

  async init() {
    await this.#connection.init();
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    const names = namesOfVariables(variables);
    for (const name of names) {
      if (name === 'final_answer') throw new TypeError('variables.final_answer must have another name: it is built in');
      refuseReservedName(name, 'variables');
    }
    const payload = encodeVariables(variables, names, this.#connection.maxTransferBytes, encodeList);
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    await this.#connection.sendVariables(names, payload);
  }

  /** @param {import('../../index').Tools} tools */
  async sendTools(tools) {
    const functions = this.#connection.toolsFor(flattenTools(tools));
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    const { native, tools: registry } = this.#connection;
    const { specs, commit } = registry.stage(functions);
    await this.#connection.call((call) => native.sendTools(call, specs), commit);
  }

  /**
   * @param {string} code
   * @param {import('../../index').RunOptions} [options]
   */
  async run(code, options) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    return traceRun(this, code, () => this.#run(code, options));
  }

  /**
   * @param {string} code
   * @param {import('../../index').RunOptions} [options]
   */
  async #run(code, options) {
    const { maxOperations, toolTimeoutMs, signal, language, ...checked } = checkRunOptions(options);
    const timeoutMs = checked.timeoutMs ?? this.#connection.timeoutMs;
    const refuseIfAborted = () => {
      if (signal?.aborted) throw abortedBeforeStart(signal.reason, timeoutMs);
    };
    refuseIfAborted();
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    refuseIfAborted();
    const core = this.#connection;
    const isFirst = this.#isRenewed;
    this.#isRenewed = false;
    const call = core.nextCall();
    const started = core.native.run(call, code, maxOperations, timeoutMs, toolTimeoutMs, language);
    const run = { toolTimeoutMs: toolTimeoutMs ?? core.toolTimeoutMs };
    const settled = core.settled(call, started, { run });
    const stopListening = signal && onAbort(signal, () => core.native.abort(call, reasonText(signal.reason)));
    try {
      const outcome = /** @type {import('./native-connection').Outcome} */ (succeeded(await settled));
      const { maxTransferBytes, life } = core;
      const output = readOutput(outcome, { maxTransferBytes, timeoutMs, signal, life });
      const given = outputOf(outcome, output instanceof Promise ? await output : output);
      return isFirst ? Object.assign(given, { recovered: true }) : given;
    } catch (error) {
      if (isFirst && error instanceof ExecutorError) error.details = { ...error.details, recovered: true };
      throw error;
    } finally {
      stopListening?.();
    }
  }

  async cleanup() {
    this.#renewal.forget();
    this.#isRenewed = false;
    await this.#connection.cleanup();
  }

  /** Makes an isolate if there is none that could go on, as far as the options want that. */
  #makeReady() {
    const core = this.#connection;
    if (this.#renewal.isUnderWay || (core.recovers && (this.state === 'DIRTY' || core.owesTools))) {
      this.#isRenewed = true;
      return this.#renewal.join(() => core.renew());
    }
    return core.autoInit && needsInit(this.state) ? core.init() : undefined;
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
 * @param {unknown[]} values
 * @param {string} path
 * @param {number} maxBytes
 * @param {object} shown
 */
function encodeList(values, path, maxBytes, shown) {
  return withoutWire(values, path, maxBytes) ?? encode(values, path, maxBytes, shown);
}

/**
 * @param {import('./native-connection').Outcome} outcome
 * @param {unknown} output
 * @returns {import('../../index').CodeOutput}
 */
function outputOf({ ending, stats, logs, logIndex }, output) {
  /** @type {any} */
  const outcome = { output, logs, is_final_answer: ending === ENDING.FINAL, logEntries: [], stats };
  return logIndex === undefined ? outcome : defineEntries(outcome, logs ?? '', logIndex, { enumerable: true });
}

module.exports = { SESExecutor };
