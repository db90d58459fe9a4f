// @ts-check
'use strict';

// How `wire-reader.js` puts values together from their parts, as the parts arrive.

const ERRORS = /** @type {Record<string, ErrorConstructor>} */ ({
  E: EvalError,
  R: RangeError,
  F: ReferenceError,
  S: SyntaxError,
  T: TypeError,
  U: URIError,
});

const DATA = { writable: true, enumerable: true, configurable: true };

/**
 * A value whose parts are being read.
 *
 * @typedef {object} Frame
 * @property {unknown} value
 * @property {() => boolean} isComplete looks for the end, and reads it
 * @property {(part: any) => void} accept
 */

/**
 * Keys and values in turn, which become own properties.
 *
 * @param {any} value
 * @param {() => boolean} isComplete
 * @returns {Frame}
 */
function properties(value, isComplete) {
  /** @type {{ key: PropertyKey } | undefined} */
  let pending;
  return {
    value,
    isComplete: () => pending === undefined && isComplete(),
    accept: (part) => {
      if (pending === undefined) {
        pending = { key: part };
        return;
      }
      const { key } = pending;
      // To assign it would set the prototype.
      if (key === '__proto__') Object.defineProperty(value, key, { ...DATA, value: part });
      else value[key] = part;
      pending = undefined;
    },
  };
}

/**
 * @param {() => boolean} isComplete
 * @returns {Frame}
 */
function mapFrame(isComplete) {
  const value = new Map();
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
 * @returns {Frame}
 */
function setFrame(isComplete) {
  const value = new Set();
  return { value, isComplete, accept: (part) => void value.add(part) };
}

/**
 * An error, which exists before its cause is read, since that may refer to it.
 *
 * @param {(define: (key: string, value: unknown) => void, become: (kind: string) => void) => boolean} readFields reads
 * up to the end, or up to the cause: true at the end
 * @returns {Frame}
 */
function errorFrame(readFields) {
  const error = new Error();
  /** @type {(key: string, value: unknown) => void} */
  const define = (key, value) =>
    void Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
  /** @type {(kind: string) => void} */
  const become = (kind) => void Object.setPrototypeOf(error, (ERRORS[kind] ?? Error).prototype);
  define('stack', undefined);
  return {
    value: error,
    isComplete: () => readFields(define, become),
    accept: (cause) => define('cause', cause),
  };
}

module.exports = { errorFrame, mapFrame, properties, setFrame };
