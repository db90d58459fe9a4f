import { performance } from '../../contract/clock';

/** Limit on unsolicited messages, both for a burst and per second. A server that sends more is read more slowly. */
const MAX_UNSOLICITED = 1_000;

/** Counts the messages of a server that nobody asked for. */
export class UnsolicitedMessages {
  /** How many the server may still send, as of `#countedAt`. */
  #left = MAX_UNSOLICITED;
  #countedAt = performance.now();

  /** An answer is not counted: call this before `delayAfter`. */
  answered() {
    this.#left++;
  }

  /** Counts a message. Returns the milliseconds before the next one may be handled; undefined for no delay. */
  delayAfter(): number | undefined {
    const now = performance.now();
    this.#left = Math.min(MAX_UNSOLICITED, this.#left - 1 + ((now - this.#countedAt) / 1_000) * MAX_UNSOLICITED);
    this.#countedAt = now;
    return this.#left < 0 ? Math.ceil((-this.#left / MAX_UNSOLICITED) * 1_000) : undefined;
  }
}
