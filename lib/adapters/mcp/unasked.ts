import { performance } from '../../contract/clock';

/** Limit on unsolicited messages, both for a burst and per second. A server that sends more is read more slowly. */
const MAX_UNASKED = 1_000;

/** Counts the messages of a server that nobody asked for. */
export class UnaskedMessages {
  /** How many the server may still send, as of `#countedAt`. */
  #left = MAX_UNASKED;
  #countedAt = performance.now();

  /** An answer is not counted: call this before `delayAfter`. */
  answered() {
    this.#left++;
  }

  /** Counts a message. Returns the milliseconds before the next one may be handled; undefined for no delay. */
  delayAfter(): number | undefined {
    const now = performance.now();
    this.#left = Math.min(MAX_UNASKED, this.#left - 1 + ((now - this.#countedAt) / 1_000) * MAX_UNASKED);
    this.#countedAt = now;
    return this.#left < 0 ? Math.ceil((-this.#left / MAX_UNASKED) * 1_000) : undefined;
  }
}
