import clock = require('../contract/clock');

/**
 * Limits the calls of one source: a number per second, and a number at the same time, in order of arrival. A slot
 * becomes free when its call settles or its execution ends, whichever is first. An adapter that hangs therefore blocks
 * no other execution.
 */
export class RateLimit {
  #perSecond;
  #concurrency;
  #time;
  #active = 0;
  /** Start times of the latest calls, at most `perSecond` of them. */
  #starts: number[] = [];
  #queue: { begin: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { perSecond, concurrency }: { perSecond: number; concurrency: number },
    time: Pick<typeof clock, 'clearTimeout' | 'performance' | 'setTimeout'> = clock,
  ) {
    this.#perSecond = perSecond;
    this.#concurrency = concurrency;
    this.#time = time;
  }

  /**
   * Waits for a slot.
   *
   * @returns a function that releases the slot
   */
  enter(signal: AbortSignal): Promise<() => void> {
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
