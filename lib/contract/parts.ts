import { types } from 'node:util';

import { isWide } from './wide-objects';
import type { Foreign } from './foreign';

/** UTF-16 units of a string, or bytes of a buffer, that count as one part. */
const UNITS_PER_PART = 1_024;

/**
 * Whether a value has more parts than `max`. Parts are values in objects, arrays, maps and sets, holes of arrays, and
 * every 1,024 characters of a string. A part that occurs several times counts each time, because code that walks the
 * value meets it each time.
 *
 * @returns after looking at no more than `max` parts
 */
export function hasMoreParts(root: unknown, max: number): boolean {
  let left = max;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    left--;
    if (typeof value === 'string') left -= Math.floor(value.length / UNITS_PER_PART);
    if (typeof value === 'object' && value !== null && !types.isProxy(value)) {
      // Does not list the parts of a value that is too large.
      const size = sizeOf(value);
      if (size > left - open.length) return true;
      if (!ArrayBuffer.isView(value)) for (const part of partsOf(value)) open.push(part);
    }
    if (left < open.length) return true;
  }
  return false;
}

/** The number of parts of a value, or of the units that they count as; 0 for objects, except wide ones. */
export function sizeOf(value: object): number {
  if (Array.isArray(value)) return value.length;
  if (types.isMap(value)) return 2 * value.size;
  if (types.isSet(value)) return value.size;
  if (ArrayBuffer.isView(value)) return value.byteLength / UNITS_PER_PART;
  return isWide(value) ? Infinity : 0;
}

export function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (types.isMap(value)) return [...value].flat();
  if (types.isSet(value)) return value;
  // `Object.values` takes several times as long for an object with very many keys.
  return Object.keys(value).map((key) => (value as Foreign)[key]);
}
