/** Reading a document takes more than it may. The whole document is refused. */
export class LimitError extends RangeError {}

/**
 * Maximum number of values that are written for all schemas of a document. Each reference to a parameter has a copy of
 * its schema.
 */
const MAX_WRITTEN = 5_000_000;

/** Counts the values that are made from a document. */
export class Counter {
  #left = MAX_WRITTEN;

  /** @throws {LimitError} */
  add() {
    if (--this.#left < 0) throw new LimitError(`document takes more than ${MAX_WRITTEN} values when it is read`);
  }
}
