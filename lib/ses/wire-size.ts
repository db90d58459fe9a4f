import { types } from 'node:util';

import { HostObjectError, webClassOf } from './host-objects';
import { MAX_HOLES, elementsOf } from './typed-arrays';
import type { Foreign } from '../contract/foreign';

/**
 * In the first pass, one of this many objects is remembered, because remembering costs more than visiting an object
 * again.
 */
const SAMPLING = 16;
/** Levels of nesting. V8's serializer recurses, and its stack ends far earlier. */
const MAX_DEPTH = 100_000;

/** A value is nested so deeply that no writer can write it. */
class DepthError extends RangeError {
  constructor() {
    super(`it is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/**
 * Whether `value` certainly takes more than `limit` bytes when it is serialized.
 *
 * V8 writes a string each time it occurs, so a small value can stand for any number of bytes, and `node:v8` has no
 * limit. This function counts a lower bound: strings, keys, elements. It is iterative and stops as soon as the limit is
 * passed. Getters that are own properties run, as they do when the value is written. A getter that throws is left to
 * the writer, which names it.
 *
 * @throws {HostObjectError} for an object of a web class, which V8 may treat as a plain one
 * @throws {DepthError}
 */
export function isLargerThan(value: unknown, limit: number): boolean {
  if (typeof value === 'string') return value.length > limit;
  if (typeof value !== 'object' || value === null) return false;
  try {
    // The first pass may count an object several times. It still ends, because each round of visits remembers one
    // object.
    return measure(value, limit, SAMPLING) > limit && measure(value, limit, 1) > limit;
  } catch (error) {
    if (error instanceof HostObjectError || error instanceof DepthError) throw error;
    return false;
  }
}

/**
 * @param sampling one of so many visited objects is remembered
 * @returns bytes; counting ends beyond `limit`
 * @throws {DepthError}
 */
function measure(root: object, limit: number, sampling: number): number {
  let bytes = 0;
  let visits = 0;
  let depth = 0;
  const seen = new Set();
  /** The objects of one level, and those of the next one. */
  let level: Foreign[] = [root];
  let open: Foreign[] = [];
  while (bytes <= limit) {
    if (level.length === 0) {
      if (open.length === 0) break;
      if (++depth > MAX_DEPTH) throw new DepthError();
      [level, open] = [open, level];
    }
    const object = level.pop();
    if (seen.has(object)) continue;
    if (++visits % sampling === 0) seen.add(object);
    // The writer refuses it when it gets there. Its traps must not run here.
    if (types.isProxy(object)) continue;
    if (Array.isArray(object)) {
      bytes += measureElements(object, limit - bytes, open);
    } else if (Object.getPrototypeOf(object) === Object.prototype) {
      for (const key in object) {
        bytes += key.length + shallow(object[key], open);
        if (bytes > limit) break;
      }
    } else {
      for (const part of partsOf(object)) {
        bytes += shallow(part, open);
        if (bytes > limit) break;
      }
    }
  }
  return bytes;
}

function measureElements(array: unknown[], limit: number, open: unknown[]) {
  let bytes = 0;
  let holes = 0;
  let at = -1;
  for (const part of elementsOf(array)) {
    if (bytes > limit) break;
    at++;
    if (part === undefined && !Object.hasOwn(array, at)) {
      // Holes cost nothing, and there may be four billion of them.
      if (++holes > MAX_HOLES) return measureSparse(array, limit, open);
    } else {
      bytes += shallow(part, open);
    }
  }
  return bytes;
}

function measureSparse(array: Foreign, limit: number, open: unknown[]) {
  let bytes = 0;
  for (const key of Object.keys(array)) {
    bytes += shallow(array[key], open);
    if (bytes > limit) break;
  }
  return bytes;
}

/** The bytes of a part itself. Adds its own parts to `open`. */
function shallow(part: unknown, open: unknown[]) {
  if (typeof part === 'string') return part.length + 1;
  if (typeof part === 'object' && part !== null) open.push(part);
  return 1;
}

/** The parts of an object that are transferred, if it is neither an array nor a plain object. */
function* partsOf(object: Foreign): Iterable<unknown> {
  if (ArrayBuffer.isView(object) || types.isAnyArrayBuffer(object)) return;
  if (types.isMap(object)) {
    for (const entry of Map.prototype.entries.call(object)) yield* entry;
  } else if (types.isSet(object)) {
    yield* Set.prototype.values.call(object);
  } else if (types.isNativeError(object)) {
    for (const key of ['message', 'stack', 'cause']) {
      if (Object.hasOwn(object, key)) yield (object as Foreign)[key];
    }
  } else {
    if (webClassOf(object) !== undefined) throw new HostObjectError(object);
    for (const key of Object.keys(object)) {
      yield key;
      yield object[key];
    }
  }
}
