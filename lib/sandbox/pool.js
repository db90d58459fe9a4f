// @ts-check
'use strict';

/**
 * Making an isolate takes time of the host's thread, which a program that has just got one needs for its calls and its answer: it
 * is made when an execution has ended, or after so long.
 */
const FILL_DELAY_MS = 10;

/**
 * Isolates that are made ahead, `size` of them; each is taken once. Who finds none gets the next that is made.
 *
 * @template {{ dispose: () => void }} T
 */
class Pool {
  #make;
  #size;
  /** @type {T[]} */
  #ready = [];
  /** @type {{ resolve: (isolate: T) => void, reject: (error: unknown) => void }[]} */
  #waiting = [];
  #making = 0;
  #isClosed = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {() => Promise<T>} make
   * @param {number} size
   */
  constructor(make, size) {
    this.#make = make;
    this.#size = size;
    this.fill();
  }

  get ready() {
    return this.#ready.length;
  }

  /** @returns {Promise<T>} rejects with what making one has failed with */
  async take() {
    const isolate = this.#ready.shift();
    if (isolate !== undefined) {
      this.#timer ??= setTimeout(() => this.fill(), FILL_DELAY_MS).unref();
      return isolate;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.fill();
    });
  }

  /** @param {unknown} error for those who wait */
  close(error) {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    for (const isolate of this.#ready.splice(0)) isolate.dispose();
  }

  /** Makes what is missing. */
  fill() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.#isClosed && this.#ready.length + this.#making < this.#size + this.#waiting.length) {
      this.#making++;
      this.#make().then(
        (isolate) => {
          this.#making--;
          this.#give(isolate);
        },
        (error) => {
          this.#making--;
          // Nobody makes the others of the pool until somebody wants one: that may fail as well.
          this.#waiting.shift()?.reject(error);
        },
      );
    }
  }

  /** @param {T} isolate */
  #give(isolate) {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve(isolate);
    else if (this.#isClosed) isolate.dispose();
    else this.#ready.push(isolate);
  }
}

module.exports = { Pool };
