import clock = require('../contract/clock');
import { abortController } from '../contract/signals';

/**
 * Creating an isolate takes time on the host's thread. A program that has just received its isolate needs that thread
 * for its calls and its answer. The next isolate is therefore created when an execution ends, or after this delay.
 */
const FILL_DELAY_MS = 10;
/** Pause after an isolate could not be created. Each further failure doubles the pause. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Keeps `size` isolates ready; each is taken once. If none is ready, a caller receives the next one that is created. No
 * isolate is created ahead while a caller waits, because it would slow down the isolate for that caller. After a
 * failure the pool pauses. During the pause it creates isolates only for callers that wait.
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
  /** Cancels the creation of isolates when the pool is closed. */
  #closing = abortController();
  #timer: NodeJS.Timeout | undefined;
  /** Timer that ends a pause. */
  #pause: NodeJS.Timeout | undefined;
  /** Length of the last pause; 0 after an isolate was created successfully. */
  #pauseMs = 0;

  /**
   * @param make `isAwaited`: a caller waits for it; `signal`: aborted when no caller needs it any more
   * @param maxMaking maximum number of isolates that are created ahead at the same time
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

  /** @returns rejects with the error of a failed creation */
  async take(): Promise<T> {
    for (let isolate = this.#ready.shift(); isolate !== undefined; isolate = this.#ready.shift()) {
      // Its process ended while it was in the pool.
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

  /** @param error for waiting callers */
  close(error: unknown) {
    this.#isClosed = true;
    this.#timers.clearTimeout(this.#timer);
    this.#timers.clearTimeout(this.#pause);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    for (const isolate of this.#ready.splice(0)) isolate.dispose();
    this.#closing.abort(error);
  }

  /** Creates the missing isolates. */
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

  /** How many isolates to keep ready. After a pause it is one, to test whether creation works again. */
  get #ahead() {
    if (this.#pause !== undefined) return 0;
    return this.#pauseMs === 0 ? this.#size : Math.min(this.#size, 1);
  }

  #beginPause() {
    // Of several concurrent failures, only the first one starts a pause.
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
