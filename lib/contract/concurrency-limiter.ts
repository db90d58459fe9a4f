import { onAbort } from './signals';

/** Limits how many callers run at the same time and how many wait. Waiting callers run in order. */
export class ConcurrencyLimiter {
  #maxConcurrent;
  #maxQueued;
  #full;
  #active = 0;
  #queue: { begin: () => void; refuse?: (error: unknown) => void }[] = [];
  #isStarting = false;

  /**
   * @param limits.maxQueued by default any number of callers may wait
   * @param full makes the error for a caller that finds the queue full, if the queue is bounded
   */
  constructor(
    { maxConcurrent, maxQueued = Infinity }: { maxConcurrent: number; maxQueued?: number },
    full?: (maxQueued: number) => Error,
  ) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
    this.#full = full;
  }

  /** Whether one more caller may begin now. */
  get hasRoom() {
    return this.#active < this.#maxConcurrent;
  }

  /**
   * Waits until a place is free; `leave` frees it.
   *
   * @param aborted makes the error if the signal is aborted
   */
  async enter(signal?: AbortSignal, aborted?: () => Error): Promise<void> {
    if (this.hasRoom) return this.enterNow();
    if (this.#queue.length >= this.#maxQueued) throw this.#full?.(this.#maxQueued);
    await new Promise((resolve: (value?: undefined) => void, reject) => {
      const waiting = {
        begin: () => {
          stopListening?.();
          resolve();
        },
        refuse: (error: unknown) => {
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

  /** Counts a caller that begins now, even if there is no room; `leave` ends it. */
  enterNow() {
    this.#active++;
  }

  /**
   * The same as `enter`, without a promise and without a limit for those that wait.
   *
   * @param begin called when there is room; must not throw
   */
  enterLater(begin: () => void) {
    this.#queue.push({ begin });
  }

  leave() {
    this.#active--;
    // A caller that begins may leave immediately. Starting the next one there would be a recursion.
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.hasRoom) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      this.#active++;
      next.begin();
    }
    this.#isStarting = false;
  }

  /** @param error rejects all waiting callers; those of `enterLater` are dropped */
  close(error?: unknown) {
    for (const waiting of this.#queue.splice(0)) waiting.refuse?.(error);
  }
}
