import { inspect, types } from 'node:util';

import { performance } from './clock';
import { truncated, partsOf } from './truncation';
import { isLongBigint } from './describe';
import { isWide } from './wide-objects';
import type { InspectOptions } from 'node:util';

// How outputs are shown, as JSON and as text. Printers have no bounds: a value in which each part occurs twice in the next one has
// 2^40 parts after 40 rounds of a loop. So a value is looked through first, as far as a budget goes. One that is within it is
// printed as it is; of a larger one fewer items, or a copy that is cut.

/** What a printer would go through. */
export interface Limits {
  /** levels */
  depth: number;
  /** whether the printer itself leaves out what is deeper */
  omitsDeeper: boolean;
  /** of one array, Map or Set */
  items: number;
  /** of one ArrayBuffer */
  bytes: number;
  /** UTF-16 units of one string */
  chars: number;
  /** parts of the whole value; one that occurs several times counts each time */
  nodes: number;
  /** UTF-16 units of all strings */
  allChars: number;
}

const AS_JSON: Limits = {
  depth: 500,
  omitsDeeper: false,
  items: Infinity,
  bytes: 0,
  chars: Infinity,
  nodes: 100_000,
  allChars: 4 << 20,
};
/** What Node.js shows of a value. */
const AS_TEXT: Limits = { ...AS_JSON, depth: 7, omitsDeeper: true, items: 100, bytes: 100, chars: 10_000 };
/** For models, who are told less. */
const FOR_MODEL: Limits = { ...AS_TEXT, nodes: 30_000, allChars: 512 << 10 };
const DEPTH_FOR_MODEL = 20;
/** Of a list: so many that what is left of a large one is more than a model is told. */
const ITEMS_FOR_MODEL = [30_000, 3_000, 300];
/** What `util.inspect` writes where it has left something out. */
const LEFT_OUT = /\.\.\. \d+ more (?:item|byte|character)|\[(?:Array|Object)\]/;

/** To look through it takes far less than this, also on a busy machine. */
const MAX_MS = 2_000;
const NODES_PER_LOOK = 1_024;
/** A large integer counts as a text of so many. */
const BIGINT_CHARS = 1_024;
/** As a byte of an ArrayBuffer is shown. */
const BYTE_CHARS = 3;
/**
 * UTF-16 units of an error's texts: printers compare its stack with that of its cause, which takes the square of the lines. And of
 * a String object: printers list its indices.
 */
const MAX_PART_CHARS = 10_000;

/**
 * An output as JSON can hold it: `undefined` becomes `null`, and what has no form at all, such as a cycle, the text
 * that `util.inspect` gives. A large value is cut.
 *
 * @returns a new value
 */
export function toJson(value: unknown): unknown {
  if (typeof value === 'string') return value;
  const shown = isWithin(value, AS_JSON) ? value : truncated(value);
  try {
    return JSON.parse(JSON.stringify(shown, jsonForm) ?? 'null');
  } catch {
    return outputText(value);
  }
}

/**
 * An output as people read it: a string as it is, anything else as Node.js prints it; nothing for `undefined`. A large
 * value is cut.
 */
export function outputText(output: unknown, options?: InspectOptions) {
  if (output === undefined) return '';
  if (typeof output === 'string') return output;
  return printed(output, [AS_TEXT], options).text;
}

/**
 * An output that is no string as Node.js prints it, for models: with all its items, as far as that is done in a moment.
 *
 * @param maxChars UTF-16 units of one string; of the whole the caller cuts what is more
 */
export function outputForModel(output: unknown, maxChars: number) {
  const limits = { ...FOR_MODEL, chars: maxChars };
  const all = ITEMS_FOR_MODEL.map((items) => ({ ...limits, depth: DEPTH_FOR_MODEL, items, bytes: items }));
  return printed(output, [...all, limits], { breakLength: 120 });
}

/**
 * @param allLimits the first that it is within are taken
 * @returns whether nothing is left out but ends of long texts
 */
function printed(value: unknown, allLimits: Limits[], options?: InspectOptions): { text: string; isWhole: boolean } {
  const end = performance.now() + MAX_MS;
  const fitting = allLimits.find((limits) => isWithin(value, limits, end));
  const { depth, items, chars } = fitting ?? allLimits[0];
  const text = inspect(fitting === undefined ? truncated(value) : value, {
    depth: depth - 1,
    maxArrayLength: items,
    maxStringLength: chars,
    ...options,
  });
  return { text, isWhole: fitting === allLimits[0] || (fitting !== undefined && !LEFT_OUT.test(text)) };
}

/** Whether `JSON.stringify` is done with a value in a moment. */
export function isSmall(value: unknown) {
  return isWithin(value, AS_JSON);
}

/** A replacer for `JSON.stringify`: what JSON has no form for gets the nearest one. */
export function jsonForm(_key: string, value: unknown) {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as any);
  return value;
}

/**
 * Whether a printer is done with `root` in a moment. Iterative. What contains itself is not looked into again, and neither do
 * printers.
 *
 * @param end when there is no time left
 */
function isWithin(root: unknown, limits: Limits, end: number = performance.now() + MAX_MS) {
  const { depth, omitsDeeper, items } = limits;
  let { nodes: nodesLeft, allChars: charsLeft } = limits;
  /** Values that are being looked into, outermost first, and the same for look-ups. */
  const open = [{ value: undefined as unknown, parts: [{ key: '', value: root }].values() }];
  const containing = new Set();
  try {
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const next = level.parts.next();
      if (next.done) {
        containing.delete(level.value);
        open.pop();
        continue;
      }
      const { key, value } = next.value;
      charsLeft -= key.length + charsOf(value, limits);
      if (--nodesLeft < 0 || charsLeft < 0 || isLong(value)) return false;
      if (nodesLeft % NODES_PER_LOOK === 0 && performance.now() > end) return false;
      if (typeof value !== 'object' || value === null || containing.has(value)) continue;
      if (containing.size < depth) {
        if (isWide(value)) return false;
        containing.add(value);
        open.push({ value, parts: partsOf(value, items) });
      } else if (!omitsDeeper) {
        return false;
      }
    }
  } catch {
    // A getter or a proxy of the host's own, which the printer deals with.
  }
  return true;
}

function charsOf(value: any, limits: Limits) {
  if (typeof value === 'string') return Math.min(value.length, limits.chars);
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 0 : BIGINT_CHARS;
  if (typeof value !== 'object' || value === null) return 0;
  if (types.isRegExp(value)) return value.source.length;
  if (types.isNativeError(value)) return textsOf(value).reduce((sum, { length }) => sum + length, 0);
  if (types.isDataView(value)) return charsOf(value.buffer, limits);
  return types.isAnyArrayBuffer(value) ? BYTE_CHARS * Math.min(value.byteLength, limits.bytes) : 0;
}

/** Whether a value takes long to print though it has no parts. */
function isLong(value: unknown) {
  if (typeof value === 'bigint') return isLongBigint(value);
  if (types.isBigIntObject(value)) return isLongBigint(BigInt.prototype.valueOf.call(value));
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value).length > MAX_PART_CHARS;
  return types.isNativeError(value) && textsOf(value).some(({ length }) => length > MAX_PART_CHARS);
}

function textsOf({ name, message, stack }: Error): string[] {
  return [name, message, stack].filter((text) => typeof text === 'string');
}
