// @ts-check
'use strict';

const { busy } = require('./errors');

/** So many executions at the same time; others wait in order, so many of them. */
class Gate {
  #maxConcurrent;
  #maxQueued;
  #active = 0;
  /** @type {{ begin: () => void, refuse: (error: unknown) => void }[]} */
  #queue = [];

  /** @param {{ maxConcurrent: number, maxQueued: number }} limits */
  constructor({ maxConcurrent, maxQueued }) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
  }

  /**
   * Waits for its turn; `leave` ends it.
   *
   * @param {AbortSignal | undefined} signal
   * @param {() => Error} aborted
   * @returns {Promise<void>}
   */
  async enter(signal, aborted) {
    if (this.#active < this.#maxConcurrent) {
      this.#active++;
      return;
    }
    if (this.#queue.length >= this.#maxQueued) throw busy(this.#maxQueued);
    await new Promise((/** @type {(value?: undefined) => void} */ resolve, reject) => {
      const abort = () => waiting.refuse(aborted());
      const waiting = {
        begin: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        refuse: (/** @type {unknown} */ error) => {
          signal?.removeEventListener('abort', abort);
          const at = this.#queue.indexOf(waiting);
          if (at !== -1) this.#queue.splice(at, 1);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort);
      this.#queue.push(waiting);
    });
  }

  leave() {
    const next = this.#queue.shift();
    // Its turn passes on.
    if (next !== undefined) next.begin();
    else this.#active--;
  }

  /** @param {unknown} error for all that wait */
  close(error) {
    for (const waiting of [...this.#queue]) waiting.refuse(error);
  }
}

module.exports = { Gate };
