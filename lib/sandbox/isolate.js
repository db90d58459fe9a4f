// @ts-check
'use strict';

const { onAbort } = require('../contract/signals');
const { blocking } = require('../contract/tool-registry');
const { SESExecutor } = require('../ses/executor');
const { HOST, TEXTS, bootstrap, rehearsal } = require('./bootstrap');

/**
 * @typedef {object} IsolateOptions
 * @property {'thread' | 'process'} isolation
 * @property {'required' | 'best-effort' | 'off'} sandbox
 * @property {number} executionTimeoutMs
 * @property {number} memoryLimitMb
 * @property {number} maxOperations
 * @property {number} maxSdkCalls
 * @property {number} maxTransferBytes
 * @property {number} maxLogBytes
 * @property {number} maxCodeBytes
 */

/** Answers what an isolate calls while it is prepared. */
const answers = { call: () => 0, start: () => 1, next: () => 1, take: () => 0, refuse: () => 0 };

/** An isolate with `spec`, `sdk` and `utils`, for one execution. */
class Isolate {
  #executor;
  /** @type {import('./execution').Execution | undefined} */
  #execution;

  /**
   * @param {IsolateOptions} options
   */
  constructor({ executionTimeoutMs, maxSdkCalls, ...options }) {
    this.#executor = new SESExecutor({
      ...options,
      timeoutMs: executionTimeoutMs,
      // A call by ticket is made, waited for and taken. What flood these calls are is bounded like that of the others.
      maxToolCalls: 4 * maxSdkCalls + 16,
      maxConcurrentToolCalls: maxSdkCalls + 16,
    });
  }

  /**
   * @param {IsolateOptions} options
   * @param {import('./registry').RegistryTexts} texts
   * @param {{ isAwaited: boolean, signal: AbortSignal }} how whether an execution waits for it, and what ends it before it is made
   */
  static async make(options, texts, { isAwaited, signal }) {
    const isolate = new Isolate(options);
    const stopListening = onAbort(signal, () => isolate.dispose());
    try {
      await isolate.#prepare(texts);
      if (!isAwaited) await isolate.#executor.run(rehearsal);
      return isolate;
    } catch (error) {
      isolate.dispose();
      throw error;
    } finally {
      stopListening();
    }
  }

  /** @param {import('./registry').RegistryTexts} texts */
  async #prepare(texts) {
    const executor = this.#executor;
    await executor.init();
    const execution = () => this.#execution ?? answers;
    await executor.sendTools({
      [HOST]: {
        call: blocking((/** @type {any[]} */ ...args) => execution().call(args[0], args[1], args[2])),
        callLater: async (/** @type {unknown[]} */ ...args) => execution().call(args[0], args[1], args[2], args[3]),
        start: (/** @type {unknown[]} */ ...args) => execution().start(args[0], args[1], args[2]),
        next: blocking(() => execution().next()),
        take: (/** @type {unknown} */ ticket) => execution().take(ticket),
        refuse: blocking((/** @type {any[]} */ ...args) => execution().refuse(args[0], args[1])),
      },
    });
    await executor.sendVariables({ [TEXTS]: texts });
    await executor.run(bootstrap);
  }

  /**
   * Runs its one program.
   *
   * @param {string} code
   * @param {import('./execution').Execution} execution
   * @param {Record<string, unknown>} variables
   */
  async run(code, execution, variables) {
    this.#execution = execution;
    if (Object.keys(variables).length > 0) await this.#executor.sendVariables(variables);
    return await this.#executor.run(code, { signal: execution.stop });
  }

  /** Whether it can run nothing, although nothing has run in it. */
  get isLost() {
    return this.#executor.state !== 'READY';
  }

  /** Ends whatever goes on in it, and waits for nothing. */
  dispose() {
    // Its only failure is that its thread was gone already.
    this.#executor.cleanup().catch(() => {});
  }
}

module.exports = { Isolate };
