import clock = require('../contract/clock');
import { abortController } from '../contract/signals';

/**
 * Making an isolate takes time of the host's thread, which a program that has just got one needs for its calls and its answer: it
 * is made when an execution has ended, or after so long.
 */
const FILL_DELAY_MS = 10;
/** Pauses after isolates that could not be made: each is twice as long as the one before it. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Isolates that are made ahead, `size` of them; each is taken once. Who finds none gets the next that is made, and none is made
 * ahead while somebody waits: it would take from those the time that theirs need. After one that could not be made there is a
 * pause, in which isolates are made only for those who ask.
 */
export class Pool<T extends { isLost: boolean; dispose: () => void }> {
  #make;
  #size;
  #maxMaking;
  #timers;
  #ready: T[] = [];
  #waiting: { resolve: (isolate: T) => void; reject: (error: unknown) => void }[] = [];
  #making = 0;
  #isClosed = false;
  /** Ends the isolates that are being made when the pool is closed. */
  #closing = abortController();
  #timer: NodeJS.Timeout | undefined;
  /** Ends a pause. */
  #pause: NodeJS.Timeout | undefined;
  /** How long the last pause was; 0: the last isolate could be made. */
  #pauseMs = 0;

  /**
   * @param make `isAwaited`: somebody has asked for it;
   *   `signal`: aborted when nobody wants it any more
   * @param maxMaking of those that are made ahead, so many at a time
   */
  constructor(
    make: (how: { isAwaited: boolean; signal: AbortSignal }) => Promise<T>,
    size: number,
    maxMaking: number,
    timers: Pick<typeof clock, 'clearTimeout' | 'setTimeout'> = clock,
  ) {
    this.#make = make;
    this.#size = size;
    this.#maxMaking = maxMaking;
    this.#timers = timers;
    this.fill();
  }

  get ready() {
    return this.#ready.length;
  }

  /** @returns rejects with what making one has failed with */
  async take(): Promise<T> {
    for (let isolate = this.#ready.shift(); isolate !== undefined; isolate = this.#ready.shift()) {
      // Its process has ended while it waited.
      if (isolate.isLost) {
        isolate.dispose();
        continue;
      }
      this.#timer ??= this.#timers.setTimeout(() => this.fill(), FILL_DELAY_MS).unref();
      return isolate;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.fill();
    });
  }

  /** @param error for those who wait */
  close(error: unknown) {
    this.#isClosed = true;
    this.#timers.clearTimeout(this.#timer);
    this.#timers.clearTimeout(this.#pause);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    for (const isolate of this.#ready.splice(0)) isolate.dispose();
    this.#closing.abort(error);
  }

  /** Makes what is missing. */
  fill() {
    this.#timers.clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.#isClosed) {
      const isAwaited = this.#making < this.#waiting.length;
      if (!isAwaited && !this.#makesAhead()) return;
      this.#making++;
      this.#make({ isAwaited, signal: this.#closing.signal }).then(
        (isolate) => {
          this.#making--;
          this.#give(isolate);
          this.#endPause();
          this.#pauseMs = 0;
          this.fill();
        },
        (error) => {
          this.#making--;
          this.#waiting.shift()?.reject(error);
          this.#beginPause();
        },
      );
    }
  }

  #makesAhead() {
    const missing = this.#ahead - this.#ready.length - this.#making;
    return missing > 0 && this.#waiting.length === 0 && this.#making < this.#maxMaking;
  }

  /** How many are to be there that nobody waits for: after a pause one, to see whether it can be made. */
  get #ahead() {
    if (this.#pause !== undefined) return 0;
    return this.#pauseMs === 0 ? this.#size : Math.min(this.#size, 1);
  }

  #beginPause() {
    // Of those that are made at the same time the first one counts.
    if (this.#pause !== undefined || this.#size === 0 || this.#isClosed) return;
    this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), MAX_PAUSE_MS);
    this.#pause = this.#timers
      .setTimeout(() => {
        this.#endPause();
        this.fill();
      }, this.#pauseMs)
      .unref();
  }

  #endPause() {
    this.#timers.clearTimeout(this.#pause);
    this.#pause = undefined;
  }

  #give(isolate: T) {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve(isolate);
    else if (this.#isClosed) isolate.dispose();
    else this.#ready.push(isolate);
  }
}
