import { WorkBudget, inSlices } from './budget';
import { MANY } from './wide-objects';
import type { Foreign } from './foreign';

// Reads JSON that a third party wrote. `JSON.parse` cannot be interrupted: 8 MB of brackets stop the event loop for
// seconds, both when they are parsed and whenever the value is examined. A scanner, which is far cheaper than parsing,
// finds pieces of JSON that are parsed one at a time. It counts what they will take and refuses deep nesting before any
// value is created. An object with very many keys is refused while it is created, because V8 lists its keys in one step
// whenever the value is examined.

/** Levels of arrays and objects. Host code that walks the value may recurse. */
export const MAX_DEPTH = 1_000;
/** Maximum characters of a string that is parsed immediately. */
const SHORT_CHARS = 64 << 10;
/** Characters of a long text that are parsed at a time, in less than a millisecond. */
const PIECE_CHARS = 16 << 10;
/** Arrays, objects and their parts in JSON of any length that is parsed immediately. Long strings take little time. */
const QUICK_PARTS = 10_000;
/** Budget steps per piece. The clock is looked at after each piece. */
const STEPS_PER_PIECE = 64;
/** Approximate memory of an array or object, and of a slot in one. */
const BYTES_PER_CONTAINER = 64;
const BYTES_PER_SLOT = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A JSON text is nested too deeply. */
export class NestingError extends RangeError {
  constructor() {
    super(`it is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/** An object in a JSON text has too many keys. */
export class TooManyKeysError extends RangeError {
  constructor() {
    super(`an object in it has at least ${MANY} keys, and listing them takes too long`);
  }
}

/**
 * The value of a JSON text. A quick one is parsed immediately, others in slices.
 *
 * @param limits as for `WorkBudget`
 * @returns rejects with a SyntaxError, a `NestingError`, a `TooManyKeysError` or a `BudgetError`
 */
export async function parseJson(
  text: string,
  limits?: Partial<{ parts: number; bytes: number; ms: number }>,
  signal?: AbortSignal,
): Promise<Foreign> {
  if (isQuick(text)) return parseQuick(text);
  const budget = new WorkBudget(limits);
  return inSlices(parsing(text, budget), budget, signal);
}

/** Whether a string is parsed so quickly that no slices are needed. */
export function isQuick(text: string) {
  return text.length <= SHORT_CHARS || new Scanner(text).hasFewParts();
}

/**
 * The value of JSON that `isQuick` accepts.
 *
 * @throws {SyntaxError | NestingError}
 */
export function parseQuick(text: string): Foreign {
  const depth = new Scanner(text).depthOfAll();
  if (depth > MAX_DEPTH) throw new NestingError();
  return JSON.parse(text);
}

/** An array or object that is too long to be parsed in one piece. */
export type Open = {
  value: Foreign;
  isList: boolean;
  /** keys that were added to an object; a key that occurs again counts again */
  keys: number;
};

/** Reads the value of JSON in steps, for `inSlices`. */
export function* parsing(text: string, budget: WorkBudget): Generator<void, Foreign, void> {
  const scanner = new Scanner(text);
  scanner.skipSpace();
  const first = scanner.code;
  // A single string or number, or not JSON.
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return JSON.parse(text);
  const open: Open[] = [opened(scanner)];
  const root = open[0].value;
  while (open.length > 0) {
    const container = open[open.length - 1];
    const start = scanner.at;
    const inner = scanner.piece(open.length);
    for (let part = 0; part < scanner.slots; part++) budget.addPart(BYTES_PER_SLOT);
    budget.spend(STEPS_PER_PIECE);
    budget.addBytes(scanner.containers * BYTES_PER_CONTAINER + 2 * (scanner.at - start));
    if (inner) {
      const key = container.isList ? undefined : scanner.key();
      scanner.skipSpace();
      if (scanner.code !== OPEN_LIST && scanner.code !== OPEN_OBJECT) throw notJson(scanner.at);
      const part = opened(scanner);
      add(container, key, part.value);
      open.push(part);
    } else {
      take(container, text.slice(start, scanner.at), start);
      // A piece is followed by the end of the container and possibly of those around it, or by a comma and another
      // piece.
      while (open.length > 0 && scanner.code === (open[open.length - 1].isList ? CLOSE_LIST : CLOSE_OBJECT)) {
        scanner.at++;
        open.pop();
        scanner.skipSpace();
      }
      if (open.length > 0) {
        if (scanner.code !== COMMA) throw notJson(scanner.at);
        scanner.at++;
        scanner.isAfterComma = true;
      }
    }
    if (budget.shouldPause) yield;
  }
  if (scanner.at < text.length) throw notJson(scanner.at);
  return root;
}

/** @param scanner at a bracket */
function opened(scanner: Scanner): Open {
  const isList = scanner.code === OPEN_LIST;
  scanner.at++;
  scanner.isAfterComma = false;
  return { value: isList ? [] : {}, isList, keys: 0 };
}

/**
 * @param piece elements or properties
 * @param at where it begins
 */
function take(container: Open, piece: string, at: number) {
  const { value, isList } = container;
  let parts;
  try {
    parts = JSON.parse(isList ? `[${piece}]` : `{${piece}}`);
  } catch {
    throw notJson(at);
  }
  if (isList) for (const part of parts) value.push(part);
  else for (const key of Object.keys(parts)) add(container, key, parts[key]);
}

/**
 * @param key undefined: an element
 * @throws {TooManyKeysError}
 */
function add(container: Open, key: string | undefined, part: unknown) {
  const { value } = container;
  if (key !== undefined && ++container.keys >= MANY) throw new TooManyKeysError();
  if (key === undefined) value.push(part);
  else if (key !== '__proto__') value[key] = part;
  else Object.defineProperty(value, key, { value: part, writable: true, enumerable: true, configurable: true });
}

function notJson(at: number) {
  return new SyntaxError(`it is not JSON from character ${at} on`);
}

/** Finds the ends of pieces. It looks only at brackets, commas and quotes: `JSON.parse` checks the rest. */
class Scanner {
  #text;
  at = 0;
  /** Whether another element has to follow. */
  isAfterComma = false;
  /** The number of elements in the last piece. */
  slots = 0;
  containers = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The current character; NaN at the end. */
  get code() {
    return this.codeAt(this.at);
  }

  codeAt(at: number) {
    return this.#text.charCodeAt(at);
  }

  hasFewParts() {
    const text = this.#text;
    let parts = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfText(at) - 1;
      else if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) if (++parts > QUICK_PARTS) return false;
    }
    return true;
  }

  /** The maximum number of nesting levels. */
  depthOfAll() {
    const text = this.#text;
    let depth = 0;
    let most = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfText(at) - 1;
      else if (code === OPEN_LIST || code === OPEN_OBJECT) most = Math.max(most, ++depth);
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    }
    return most;
  }

  /**
   * Advances past as many elements or properties as one piece may have. If the first one is too long for a piece, the
   * position does not change.
   *
   * @param outer levels around them
   * @returns whether the first one is too long
   * @throws {NestingError | SyntaxError}
   */
  piece(outer: number): boolean {
    const text = this.#text;
    const start = this.at;
    let depth = 0;
    let slots = 1;
    let containers = 0;
    let comma = -1;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = this.#endOfText(at) - 1;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        containers++;
        if (++depth + outer > MAX_DEPTH) throw new NestingError();
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        if (--depth < 0) return this.#endPiece(at, slots, containers);
      } else if (code === COMMA) {
        slots++;
        if (depth === 0) {
          comma = at;
          this.slots = slots - 1;
          this.containers = containers;
        }
      }
      if (at - start < PIECE_CHARS) continue;
      if (comma !== -1) {
        if (text.slice(start, comma).trim() === '') throw notJson(comma);
        this.at = comma;
        return false;
      }
      if (depth > 0) {
        this.slots = 1;
        this.containers = 1;
        return true;
      }
    }
    throw notJson(text.length);
  }

  /** Advances past the key at the current position, and its colon. */
  key() {
    this.skipSpace();
    if (this.codeAt(this.at) !== QUOTE) throw notJson(this.at);
    const end = this.#endOfText(this.at);
    let key: string;
    try {
      key = JSON.parse(this.#text.slice(this.at, end));
    } catch {
      throw notJson(this.at);
    }
    this.at = end;
    this.skipSpace();
    if (this.codeAt(this.at) !== COLON) throw notJson(this.at);
    this.at++;
    return key;
  }

  skipSpace() {
    const text = this.#text;
    for (; this.at < text.length; this.at++) {
      const code = text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  #endPiece(at: number, slots: number, containers: number) {
    this.slots = slots;
    this.containers = containers;
    const isEmpty = this.#text.slice(this.at, at).trim() === '';
    if (isEmpty && this.isAfterComma) throw notJson(at);
    this.at = at;
    return false;
  }

  /** @param at of a quotation mark */
  #endOfText(at: number) {
    const text = this.#text;
    for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
      let escapes = 0;
      while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
      if (escapes % 2 === 0) return end + 1;
    }
    return text.length;
  }
}
