import { types } from 'node:util';

import { BudgetError } from './budget';
import { isLongBigint, isPlainObject } from './describe';
import { hasKeys, isWide, keysOf } from './wide-objects';
import type { Foreign } from './foreign';
import type { WorkBudget } from './budget';

// Printers have no bounds: if each part of a value occurs twice in the next one, the value has 2^40 parts after 40
// iterations of a loop. So values are surveyed first, up to given limits. The passes are generators, which `inSlices`
// runs in slices and `atOnce` runs to their end.

/** The parts of a value that a printer may visit. */
export interface Limits {
  /** levels */
  depth: number;
  /** whether the printer itself omits deeper parts */
  omitsDeeper: boolean;
  /** of one array, Map or Set */
  items: number;
  /** of one ArrayBuffer */
  bytes: number;
  /** UTF-16 units of one string */
  chars: number;
  /**
   * parts of the whole value; a part that occurs several times counts each time, and one that takes long to print
   * counts more
   */
  nodes: number;
  /** UTF-16 units of all strings */
  allChars: number;
}

/** Characters that a large integer counts as. */
const BIGINT_CHARS = 1_024;
/** Characters that show one byte of an ArrayBuffer. */
const BYTE_CHARS = 3;
/**
 * Characters that `util.inspect` escapes, and line breaks, at which it splits strings, count as more characters,
 * because they take longer.
 */
const ESCAPED_CHARS = 16;
const LINE_CHARS = 64;
const LINE_FEED = 0x0a;
/** UTF-16 units of a String object, whose indices printers list, and of an error's texts. */
const MAX_PART_CHARS = 10_000;
/** Parts that objects count as, in addition to their own parts: about the microseconds that printing them takes. */
const OBJECT_NODES = 2;
const CLASS_NODES = 4;
const ERROR_NODES = 20;
/**
 * Printers compare the lines of an error's stack with those of its cause. The square of this many lines counts as a
 * part.
 */
const LINES_PER_NODE = 64;
/** Indices of an array, listed to find its other keys, that count as a part. */
const INDICES_PER_NODE = 16;
/** Longer arrays of guests are recorded if they have keys that are not indices. */
const MAX_LISTED = 50_000;
/** Holes make printers list all keys of an array, unless the array is so long that V8 keeps its elements in a table. */
const TABLE_LENGTH = 2 ** 25;
const MAX_ARRAY_LENGTH = 2 ** 32 - 1;
/** Properties of errors that are shown although they are not enumerable. */
const HIDDEN_KEYS = ['cause', 'errors'];

/**
 * The first of `tiers` whose limits the value `root` fits. One pass checks all tiers: each tier allows at most as many
 * items and levels as the one before it, and equally many nodes and characters. Neither the survey nor the printers
 * enter a value that contains itself again.
 *
 * @param budget counts parts; a value that exceeds it fits no tier
 */
export function* fitting(
  root: unknown,
  tiers: Limits[],
  budget: WorkBudget,
): Generator<void, Limits | undefined, void> {
  const survey = new Survey(root, tiers);
  try {
    while (survey.goOn()) {
      budget.addPart();
      if (budget.shouldPause) yield;
    }
  } catch (error) {
    if (error instanceof BudgetError) return undefined;
    // A getter or a proxy of the host has thrown. The printer handles it.
  }
  return tiers[survey.first];
}

/** A value whose parts are being visited. */
interface Level {
  value: unknown;
  parts: ArrayLike<unknown>;
  /** how many of the parts were visited */
  at: number;
  /** parts of one item: two of a Map */
  perItem: number;
  /** whether the parts are elements of an array, which may be missing */
  mayMiss: boolean;
  /** how many of the tiers include the value */
  tiers: number;
}

class Survey {
  /** The first tier that the value may fit; the number of tiers if there is none. */
  first = 0;
  #tiers;
  #nodesLeft;
  #charsLeft;
  /** The values around the current part, outermost first. #containing has the same values for look-ups. */
  #open: Level[];
  #containing: Set<unknown> = new Set();
  /** Whether the printer is `util.inspect`, for which some parts take far longer than others. */
  #isInspected;

  constructor(root: unknown, tiers: Limits[]) {
    this.#tiers = tiers;
    this.#nodesLeft = tiers.map(({ nodes }) => nodes - 1);
    this.#charsLeft = tiers.map(({ allChars }) => allChars);
    this.#isInspected = tiers[0].omitsDeeper;
    this.#open = [{ value: undefined, parts: [root], at: 0, perItem: Infinity, mayMiss: false, tiers: tiers.length }];
  }

  /** Visits the next part. Returns whether there is another one. */
  goOn(): boolean {
    const level = this.#open[this.#open.length - 1];
    if (this.first === this.#tiers.length) return false;
    const index = Math.floor(level.at / level.perItem);
    const tiers = level.at < level.parts.length ? this.#tiersWith(level.tiers, 'items', index) : 0;
    if (tiers <= this.first) {
      this.#containing.delete(level.value);
      this.#open.pop();
      return this.#open.length > 0;
    }
    const at = level.at++;
    const part = level.parts[at];
    if (part !== undefined) this.#look(part, tiers);
    else if (level.mayMiss && !Object.hasOwn(level.parts, at)) this.#skipHoles(level, tiers);
    return true;
  }

  /** @param tiers that include the part */
  #look(value: Foreign, tiers: number) {
    if (typeof value === 'string') return this.#charge(tiers, 0, this.#textChars(value));
    if (typeof value === 'bigint') {
      if (isLongBigint(value)) return this.#refuse(tiers);
      return this.#charge(tiers, 0, BigInt.asIntN(64, value) === value ? 0 : BIGINT_CHARS);
    }
    if (typeof value !== 'object' || value === null) return;
    if (isLong(value)) return this.#refuse(tiers);
    if (types.isNativeError(value)) this.#chargeError(value, tiers);
    else this.#charge(tiers, this.#isInspected ? nodesOf(value) : 0, types.isRegExp(value) ? value.source.length : 0);
    if (this.#containing.has(value)) return;
    const inner = this.#tiersWith(tiers, 'depth', this.#containing.size);
    if (inner < tiers && !this.#tiers[0].omitsDeeper) return this.#refuse(tiers);
    this.#enter(value, tiers, inner);
  }

  /**
   * @param tiers that include the object
   * @param inner those of them that include its parts
   */
  #enter(value: Foreign, tiers: number, inner: number) {
    if (types.isAnyArrayBuffer(value) || types.isDataView(value)) return this.#chargeBytes(value, tiers);
    if (types.isTypedArray(value)) return this.#chargeItems(inner, (value as Foreign).length);
    if (isWide(value)) return this.#refuse(tiers);
    if (Array.isArray(value)) {
      this.#chargeItems(inner, value.length);
      const others = this.#isInspected ? this.#otherKeys(value, tiers) : [];
      this.#descend(value, value, inner);
      return this.#alsoLookInto(value, others, inner);
    }
    if (types.isMap(value) || types.isSet(value)) {
      const perItem = types.isMap(value) ? 2 : 1;
      this.#chargeItems(inner, value.size, perItem);
      return this.#descend(value, this.first < inner ? itemsOf(value, this.#items) : [], inner, perItem);
    }
    // Printers list the keys even of an object that is too deep to be shown.
    const keys = keysOf(value);
    this.#charge(tiers, keys.length, 0);
    if (this.first >= tiers) return;
    this.#charge(tiers, 0, charsOf(keys));
    if (this.first >= inner) return;
    const hidden = types.isNativeError(value) ? HIDDEN_KEYS.filter((key) => Object.hasOwn(value, key)) : [];
    this.#descend(
      value,
      [...hidden, ...keys].map((key) => value[key]),
      inner,
      Infinity,
    );
  }

  #descend(value: unknown, parts: ArrayLike<unknown>, tiers: number, perItem: number = 1) {
    if (this.first >= tiers) return;
    this.#containing.add(value);
    const mayMiss = parts === value && this.#isInspected;
    this.#open.push({ value, parts, at: 0, perItem, mayMiss, tiers });
  }

  /** Visits other parts that printers show of a value. */
  #alsoLookInto(value: Foreign, keys: string[], tiers: number) {
    if (keys.length === 0 || this.first >= tiers) return;
    const parts = keys.map((key) => value[key]);
    this.#open.push({ value: undefined, parts, at: 0, perItem: Infinity, mayMiss: false, tiers });
  }

  get #items() {
    return this.#tiers[this.first].items;
  }

  #chargeError(error: Error, tiers: number) {
    const texts = textsOf(error);
    const chars = charsOf(texts);
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length, 0);
    this.#charge(tiers, this.#isInspected ? ERROR_NODES + Math.floor(lines ** 2 / LINES_PER_NODE) : 0, chars);
  }

  #textChars(text: string) {
    const { chars } = this.#tiers[0];
    const length = Math.min(text.length, chars);
    if (!this.#isInspected || length > this.#charsLeft[this.#tiers.length - 1]) return length;
    let all = length;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LINE_FEED) all += LINE_CHARS;
      else if (isEscaped(unit)) all += ESCAPED_CHARS;
    }
    return all;
  }

  #chargeBytes(value: Foreign, tiers: number) {
    const { byteLength } = types.isDataView(value) ? value.buffer : value;
    for (let tier = this.first; tier < tiers; tier++) {
      this.#charsLeft[tier] -= BYTE_CHARS * Math.min(byteLength, this.#tiers[tier].bytes);
    }
    this.#drop(tiers);
  }

  #chargeItems(tiers: number, length: number, perItem: number = 1) {
    for (let tier = this.first; tier < tiers; tier++) {
      this.#nodesLeft[tier] -= perItem * Math.min(length, this.#tiers[tier].items);
    }
    this.#drop(tiers);
  }

  /** The keys of an array that are not indices. Printers show all of them. */
  #otherKeys(array: unknown[], tiers: number): string[] {
    const { length } = array;
    if (this.first >= tiers || (length > MAX_LISTED && !hasKeys(array))) return [];
    this.#charge(tiers, Math.floor(length / INDICES_PER_NODE), 0);
    if (this.first >= tiers) return [];
    const keys = Object.keys(array);
    let from = keys.length;
    while (from > 0 && !isIndex(keys[from - 1])) from--;
    const others = keys.slice(from);
    this.#charge(tiers, others.length, charsOf(others));
    return others;
  }

  /** If an element is missing, printers list the keys of the array, and show the elements at the first keys. */
  #skipHoles(level: Level, tiers: number) {
    const array = level.parts as unknown[];
    if (array.length > MAX_LISTED && array.length < TABLE_LENGTH) return this.#refuse(tiers);
    const keys = Object.keys(array);
    this.#charge(tiers, keys.length, 0);
    if (this.first >= tiers) return;
    level.parts = keys.slice(0, this.#items).map((key) => array[key as Foreign]);
    level.mayMiss = false;
    level.at = 0;
  }

  #charge(tiers: number, nodes: number, chars: number) {
    for (let tier = this.first; tier < tiers; tier++) {
      this.#nodesLeft[tier] -= nodes;
      this.#charsLeft[tier] -= chars;
    }
    this.#drop(tiers);
  }

  /** Drops tiers that are exceeded. Earlier tiers are dropped first, because they include the most. */
  #drop(tiers: number) {
    while (this.first < tiers && (this.#nodesLeft[this.first] < 0 || this.#charsLeft[this.first] < 0)) this.first++;
  }

  /** Drops all tiers that include a part. */
  #refuse(tiers: number) {
    this.first = Math.max(this.first, tiers);
  }

  /** The number of tiers among `tiers` that allow more than `count`. */
  #tiersWith(tiers: number, limit: 'items' | 'depth', count: number) {
    let left = tiers;
    while (left > this.first && this.#tiers[left - 1][limit] <= count) left--;
    return left;
  }
}

function itemsOf(value: Map<unknown, unknown> | Set<unknown>, items: number): unknown[] {
  const parts: unknown[] = [];
  let left = items;
  for (const item of value) {
    if (left-- <= 0) break;
    if (types.isMap(value)) parts.push(...(item as [unknown, unknown]));
    else parts.push(item);
  }
  return parts;
}

function charsOf(texts: string[]) {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function isIndex(key: string) {
  const number = Number(key);
  return number < MAX_ARRAY_LENGTH && String(number) === key && Number.isInteger(number);
}

function nodesOf(value: object) {
  return Array.isArray(value) || isPlainObject(value) ? OBJECT_NODES : CLASS_NODES;
}

/** Whether printing a value takes long although it has no parts. */
function isLong(value: unknown) {
  if (types.isBigIntObject(value)) return isLongBigint(BigInt.prototype.valueOf.call(value));
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value).length > MAX_PART_CHARS;
  return types.isNativeError(value) && textsOf(value).some(({ length }) => length > MAX_PART_CHARS);
}

function textsOf({ name, message, stack }: Error): string[] {
  return [name, message, stack].filter((text) => typeof text === 'string');
}

/** Whether printers escape a UTF-16 unit, or check whether it is half of a character. */
function isEscaped(unit: number) {
  return unit < 0x20 || unit === 0x27 || unit === 0x5c || (unit >= 0x7f && unit <= 0x9f) || (unit & 0xf800) === 0xd800;
}

/** Levels of JSON that is shown as JSON. */
const MAX_JSON_DEPTH = 200;
const MAX_JSON_NODES = 100_000;
const MAX_JSON_CHARS = 4 << 20;

/**
 * Whether JSON represents a value completely, without repeating a part, and can be written in a short time.
 *
 * @param indent of a level, in characters
 * @param budget counts parts; the result is false for a value that exceeds it
 */
export function* isBriefJson(root: unknown, indent: number, budget: WorkBudget): Generator<void, boolean, void> {
  let [nodes, chars] = [1, 0];
  const known = new Set();
  const open: { parts: unknown[]; at: number }[] = [{ parts: [root], at: 0 }];
  try {
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      if (level.at === level.parts.length) {
        open.pop();
        continue;
      }
      const value = level.parts[level.at++];
      budget.addPart();
      if (budget.shouldPause) yield;
      chars += indent * open.length;
      if (typeof value === 'string') chars += value.length;
      else if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return false;
      if (typeof value === 'object' && value !== null) {
        if (known.has(value) || open.length > MAX_JSON_DEPTH || isWide(value)) return false;
        const isList = Array.isArray(value);
        if (!isList && !isPlainObject(value)) return false;
        if ('toJSON' in value && typeof value.toJSON === 'function') return false;
        known.add(value);
        const keys = isList ? [] : Object.keys(value);
        nodes += isList ? value.length : keys.length;
        if (nodes > MAX_JSON_NODES) return false;
        for (const key of keys) chars += key.length;
        open.push({ parts: isList ? value : keys.map((key) => (value as Foreign)[key]), at: 0 });
      } else if (
        value !== null &&
        typeof value !== 'string' &&
        typeof value !== 'boolean' &&
        typeof value !== 'number'
      ) {
        return false;
      }
      if (chars > MAX_JSON_CHARS) return false;
    }
  } catch {
    // The budget is used up, or a getter or a proxy of the host has thrown.
    return false;
  }
  return true;
}
