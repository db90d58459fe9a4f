// @ts-check
'use strict';

const { isPlainObject, memberPath } = require('./describe');
const { abortedInQueue } = require('./errors');
const { needsInit } = require('./lifecycle');
const { onAbort } = require('./signals');

/** An executor that several sessions use: whose turn it is, and what they have sent. */
class ExecutorTurns {
  #executor;
  /** Settles with the last turn that was asked for. */
  #last = Promise.resolve();
  /** Tools that guests can call. @type {import('../../index').Tools} */
  #tools = {};
  /** Names of all that the isolate has been sent. @type {Set<string>} */
  #names = new Set();
  /** Number of the isolate: it grows when one has ended. */
  isolate = 0;
  /** Whether no isolate has this number yet. */
  #isAhead = false;

  /** @param {import('../../index').Executor} executor */
  constructor(executor) {
    this.#executor = executor;
  }

  /**
   * @template T
   * @param {() => Promise<T>} turn
   * @param {AbortSignal} [signal] with which nobody waits for it any more: a turn that has not begun is left out
   * @returns {Promise<T>}
   */
  next(turn, signal) {
    if (signal === undefined) return this.#queue(turn);
    if (signal.aborted) return Promise.reject(abortedInQueue(signal.reason));
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => reject(abortedInQueue(signal.reason)));
      const begin = async () => {
        stopListening();
        if (!signal.aborted) resolve(await turn());
      };
      this.#queue(begin).catch(reject);
    });
  }

  /**
   * @template T
   * @param {() => Promise<T>} turn
   * @returns {Promise<T>}
   */
  #queue(turn) {
    const result = this.#last.then(turn);
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** Makes an isolate if there is none that could go on. */
  async makeReady() {
    if (this.#executor.state === 'DIRTY') await this.cleanup();
    if (!needsInit(this.#executor.state)) return;
    // Of what others than sessions have ended nobody has told.
    if (!this.#isAhead) this.#forget();
    await this.#executor.init();
    this.#isAhead = false;
  }

  /**
   * Of all tools that sessions have sent, guests can call these from now on.
   *
   * @param {import('../../index').Tools} tools the same object as before: nothing is sent
   */
  async sendTools(tools) {
    if (tools === this.#tools) return;
    const { isolate } = this;
    const others = Object.entries(this.#tools).filter(([name]) => !Object.hasOwn(tools, name));
    const withdrawn = others.map(([name, tool]) => [name, refusing(tool, name)]);
    const sent = { ...Object.fromEntries(withdrawn), ...tools };
    if (Object.keys(sent).length === 0) return;
    // Also what has arrived of tools whose sending fails has to be withdrawn.
    this.#tools = { ...this.#tools, ...tools };
    for (const name of Object.keys(tools)) this.#names.add(name);
    await this.#executor.sendTools(sent);
    if (isolate === this.isolate) this.#tools = tools;
  }

  /**
   * Whether a name of the isolate's is that of a tool of one session.
   *
   * @param {string} name
   */
  hasSent(name) {
    return this.#names.has(name);
  }

  async cleanup() {
    this.#forget();
    await this.#executor.cleanup();
  }

  #forget() {
    this.#tools = {};
    this.#names.clear();
    this.isolate++;
    this.#isAhead = true;
  }
}

/**
 * What takes the place of a tool, or of a namespace of tools.
 *
 * @param {unknown} tool
 * @param {string} path
 * @returns {any}
 */
function refusing(tool, path) {
  if (isPlainObject(tool)) {
    return Object.fromEntries(
      Object.entries(tool).map(([key, inner]) => [key, refusing(inner, memberPath(path, key))]),
    );
  }
  return async () => {
    throw new Error(`${path} is none of the functions that this code can call`);
  };
}

/**
 * Held as long as the executor.
 *
 * @type {WeakMap<import('../../index').Executor, ExecutorTurns>}
 */
const known = new WeakMap();

/** @param {import('../../index').Executor} executor */
function turnsOf(executor) {
  const turns = known.get(executor) ?? new ExecutorTurns(executor);
  known.set(executor, turns);
  return turns;
}

module.exports = { turnsOf };
