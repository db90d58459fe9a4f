/** A document takes more than reading it may take. It is refused as a whole. */
export class LimitError extends RangeError {}

/** Values that are written for all schemas of a document: what refers to a parameter has a copy of its schema. */
const MAX_WRITTEN = 5_000_000;

/** Counts what is made of a document. */
export class Counter {
  #left = MAX_WRITTEN;

  /** @throws {LimitError} */
  add() {
    if (--this.#left < 0) throw new LimitError(`document takes more than ${MAX_WRITTEN} values when it is read`);
  }
}
