// @ts-check
'use strict';

const { onAbort } = require('./signals');

/** So many at the same time; others wait in order, so many of them. */
class ConcurrencyLimiter {
  #maxConcurrent;
  #maxQueued;
  #full;
  #active = 0;
  /** @type {{ begin: () => void, refuse: (error: unknown) => void }[]} */
  #queue = [];

  /**
   * @param {{ maxConcurrent: number, maxQueued: number }} limits
   * @param {(maxQueued: number) => Error} [full] of those for whom there is no place to wait, if the places are counted
   */
  constructor({ maxConcurrent, maxQueued }, full) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
    this.#full = full;
  }

  /**
   * Waits for its turn; `leave` ends it.
   *
   * @param {AbortSignal} [signal]
   * @param {() => Error} [aborted] what refuses it when the signal comes
   * @returns {Promise<void>}
   */
  async enter(signal, aborted) {
    if (this.#active < this.#maxConcurrent) {
      this.#active++;
      return;
    }
    if (this.#queue.length >= this.#maxQueued) throw this.#full?.(this.#maxQueued);
    await new Promise((/** @type {(value?: undefined) => void} */ resolve, reject) => {
      const waiting = {
        begin: () => {
          stopListening?.();
          resolve();
        },
        refuse: (/** @type {unknown} */ error) => {
          stopListening?.();
          const at = this.#queue.indexOf(waiting);
          if (at !== -1) this.#queue.splice(at, 1);
          reject(error);
        },
      };
      const stopListening = signal && onAbort(signal, () => waiting.refuse(aborted?.()));
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

module.exports = { ConcurrencyLimiter };
