// @ts-check
'use strict';

const clock = require('../contract/clock');

/**
 * Calls of one source: so many a second, so many at the same time, in the order in which they came. A slot is free again
 * when its call has settled or its execution has ended, whichever is first: an adapter that hangs holds nobody up.
 */
class RateLimit {
  #perSecond;
  #concurrency;
  #time;
  #active = 0;
  /** When the latest calls began, at most `perSecond` of them. */
  /** @type {number[]} */
  #starts = [];
  /** @type {{ begin: () => void }[]} */
  #queue = [];
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {{ perSecond: number, concurrency: number }} limits
   * @param {Pick<typeof clock, 'clearTimeout' | 'performance' | 'setTimeout'>} [time]
   */
  constructor({ perSecond, concurrency }, time = clock) {
    this.#perSecond = perSecond;
    this.#concurrency = concurrency;
    this.#time = time;
  }

  /**
   * Waits for its turn.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<() => void>} gives the slot back
   */
  enter(signal) {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        signal.removeEventListener('abort', leave);
        if (!waiting.isActive) {
          const at = this.#queue.indexOf(waiting);
          if (at !== -1) this.#queue.splice(at, 1);
          if (this.#queue.length === 0) this.#stop();
          return reject(signal.reason);
        }
        if (waiting.isDone) return;
        waiting.isDone = true;
        this.#active--;
        this.#advance();
      };
      const waiting = {
        isActive: false,
        isDone: false,
        begin: () => {
          waiting.isActive = true;
          resolve(leave);
        },
      };
      signal.addEventListener('abort', leave);
      this.#queue.push(waiting);
      this.#advance();
    });
  }

  #advance() {
    while (this.#queue.length > 0 && this.#active < this.#concurrency) {
      const now = this.#time.performance.now();
      const wait = this.#starts.length < this.#perSecond ? 0 : this.#starts[0] + 1_000 - now;
      if (wait > 0) {
        this.#timer ??= this.#time.setTimeout(() => {
          this.#timer = undefined;
          this.#advance();
        }, Math.ceil(wait));
        return;
      }
      if (this.#starts.length >= this.#perSecond) this.#starts.shift();
      if (this.#perSecond !== Infinity) this.#starts.push(now);
      this.#active++;
      this.#queue.shift()?.begin();
    }
  }

  #stop() {
    this.#time.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

module.exports = { RateLimit };
