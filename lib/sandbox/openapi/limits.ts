/** Reading a document takes more than it may. The whole document is refused. */
export class LimitError extends RangeError {}

/**
 * Maximum number of values that are written for all schemas of a document. Each reference to a parameter has a copy of
 * its schema.
 */
const MAX_WRITTEN = 5_000_000;

/** Maximum characters of the operations and their schemas, as JSON. */
const MAX_CHARS = 64 * 2 ** 20;
/** Data of at least this many characters is counted once, and remembered. */
const REMEMBERED_CHARS = 1_000;

/** Counts the values that are made from a document. */
export class Counter {
  #left = MAX_WRITTEN;

  /** @throws {LimitError} */
  add() {
    if (--this.#left < 0) throw new LimitError(`document takes more than ${MAX_WRITTEN} values when it is read`);
  }
}

/**
 * Counts the characters of data as JSON. Data that occurs several times counts each time, because the host has a copy
 * of each: one long description may belong to a parameter of all operations.
 */
export class CharCounter {
  #left = MAX_CHARS;
  #known: Map<object, number> = new Map();
  /** Objects that contain the one that is being counted: objects of a caller may contain themselves. */
  #outer: Set<object> = new Set();

  /**
   * @param value is nested as deep as a document
   * @throws {LimitError}
   */
  add(value: unknown) {
    this.#left -= this.#charsOf(value);
    if (this.#left < 0) throw new LimitError(`document takes more than ${MAX_CHARS} characters when it is read`);
  }

  #charsOf(value: unknown): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null) return 5;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#outer.has(value)) return 0;
    this.#outer.add(value);
    let chars = 2;
    if (Array.isArray(value)) for (const item of value) chars += this.#charsOf(item) + 1;
    else for (const [key, item] of Object.entries(value)) chars += key.length + 4 + this.#charsOf(item);
    this.#outer.delete(value);
    if (chars >= REMEMBERED_CHARS) this.#known.set(value, chars);
    return chars;
  }
}
