import { onAbort } from './signals';

/** Limits how many callers run at the same time and how many wait. Waiting callers run in order. */
export class ConcurrencyLimiter {
  #maxConcurrent;
  #maxQueued;
  #full;
  #active = 0;
  #queue: { begin: () => void; refuse: (error: unknown) => void }[] = [];

  /** @param full makes the error for a caller that finds the queue full, if the queue is bounded */
  constructor(
    { maxConcurrent, maxQueued }: { maxConcurrent: number; maxQueued: number },
    full?: (maxQueued: number) => Error,
  ) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
    this.#full = full;
  }

  /**
   * Waits for its turn; `leave` ends it.
   *
   * @param aborted makes the error if the signal is aborted
   */
  async enter(signal?: AbortSignal, aborted?: () => Error): Promise<void> {
    if (this.#active < this.#maxConcurrent) {
      this.#active++;
      return;
    }
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

  leave() {
    const next = this.#queue.shift();
    // The turn goes to the next caller.
    if (next !== undefined) next.begin();
    else this.#active--;
  }

  /** @param error rejects all waiting callers */
  close(error: unknown) {
    for (const waiting of [...this.#queue]) waiting.refuse(error);
  }
}
