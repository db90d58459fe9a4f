// @ts-check
'use strict';

const { KeyCount } = require('../contract/wide-objects');

// How `wire-reader.js` and `slices.js` put values together from their parts, as the parts arrive.

const ERRORS = /** @type {Record<string, ErrorConstructor>} */ ({
  E: EvalError,
  R: RangeError,
  F: ReferenceError,
  S: SyntaxError,
  T: TypeError,
  U: URIError,
});

/** One for all, since making one takes longer than its use. Without prototype, which could have accessors. */
const descriptor = Object.assign(Object.create(null), { writable: true, configurable: true });

/**
 * Makes an own property. To assign it would meet setters and read-only properties of prototypes, `__proto__` first.
 *
 * @param {object} object
 * @param {PropertyKey} key
 * @param {unknown} value
 * @param {boolean} [enumerable]
 */
function define(object, key, value, enumerable = true) {
  descriptor.value = value;
  descriptor.enumerable = enumerable;
  Object.defineProperty(object, key, descriptor);
  descriptor.value = undefined;
}

/**
 * A value whose parts are being read.
 *
 * @typedef {object} Frame
 * @property {unknown} value
 * @property {() => boolean} isComplete looks for the end, and reads it
 * @property {(part: any) => void} accept
 * @property {(parts: unknown[], from: number) => number} [acceptAll] takes parts from an index on, as many as are of one kind;
 * returns the index of the first one that it has not taken
 */

/**
 * Keys and values in turn, which become own properties.
 *
 * @param {object} value
 * @param {() => boolean} isComplete
 * @returns {Frame}
 */
function properties(value, isComplete) {
  /** @type {{ key: PropertyKey } | undefined} */
  let pending;
  const count = new KeyCount(value);
  return {
    value,
    isComplete: () => pending === undefined && isComplete(),
    accept: (part) => {
      if (pending === undefined) {
        if (typeof part !== 'string' && typeof part !== 'number') throw new RangeError('a key was expected');
        pending = { key: part };
        return;
      }
      define(value, pending.key, part);
      count.add(pending.key);
      pending = undefined;
    },
  };
}

/** Up to this length V8 makes room for all elements of an array when it gets its length. */
const MAX_ROOM = 2 ** 25;

/**
 * Gives an empty array its length without room for the elements, most of which are missing.
 *
 * @param {unknown[]} array
 * @param {number} length
 */
function growSparse(array, length) {
  if (length > 0 && length <= MAX_ROOM) {
    // An element far away from the others has V8 keep elements in a table.
    define(array, length - 1, undefined);
    delete array[length - 1];
  }
  array.length = length;
  return array;
}

/**
 * @param {() => boolean} isComplete
 * @param {Map<unknown, unknown>} [value]
 * @returns {Frame}
 */
function mapFrame(isComplete, value = new Map()) {
  /** @type {{ key: unknown } | undefined} */
  let pending;
  return {
    value,
    isComplete: () => pending === undefined && isComplete(),
    accept: (part) => {
      if (pending === undefined) {
        pending = { key: part };
        return;
      }
      value.set(pending.key, part);
      pending = undefined;
    },
  };
}

/**
 * @param {() => boolean} isComplete
 * @param {Set<unknown>} [value]
 * @returns {Frame}
 */
function setFrame(isComplete, value = new Set()) {
  return { value, isComplete, accept: (part) => void value.add(part) };
}

/**
 * An error, which exists before its cause is read, since that may refer to it.
 *
 * @param {(set: (key: string, value: unknown) => void, become: (kind: string) => void) => boolean} readFields reads up to
 * the end, or up to the cause: true at the end
 * @param {Error} [error] one that has its fields
 * @returns {Frame}
 */
function errorFrame(readFields, error = bareError()) {
  /** @type {(kind: string) => void} */
  const become = (kind) => void Object.setPrototypeOf(error, (ERRORS[kind] ?? Error).prototype);
  /** @type {(key: string, value: unknown) => void} */
  const set = (key, value) => define(error, key, value, false);
  return {
    value: error,
    isComplete: () => readFields(set, become),
    accept: (cause) => set('cause', cause),
  };
}

/** @param {Error} error */
function withoutStack(error) {
  define(error, 'stack', undefined, false);
  return error;
}

/** An error without message and stack. To capture one takes longer than to read the rest of the error. */
function bareError() {
  const { stackTraceLimit } = Error;
  // Not by assignment, which throws where the host has frozen it.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = new Error();
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  return withoutStack(error);
}

module.exports = { define, errorFrame, growSparse, mapFrame, properties, setFrame, bareError };
