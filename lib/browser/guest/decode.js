// @ts-check
'use strict';

/**
 * @typedef {object} DecodeOptions
 * @property {(stack: string) => string} [stackOf] the part of an error's stack that is shown
 * @property {(source: string, flags: string) => any} [regexpOf]
 * @property {(look: any[]) => any} [lookOf] makes the text that shows a value
 * @property {(value: any, node: any[], hasPairs: boolean) => void} [onComplete] receives each object and what it was
 *   read
 * from; `hasPairs` says whether an array has keys besides its first elements
 *
 * @typedef {(text: string, options?: DecodeOptions) => any} Decode throws TypeError for text that `encode` does not
 * write
 *
 * Decoding that can pause after each part.
 *
 * @typedef {object} Decoding
 * @property {(isSpent: (steps: number) => boolean) => boolean} goOn decodes until `isSpent` returns true; `isSpent` is
 * called after each part with the cost of the part. Returns whether everything is decoded
 * @property {() => any} value
 *
 * @typedef {object} Decoder
 * @property {Decode} decode
 * @property {(parts: any[], options: DecodeOptions) => Decoding} decoding decodes the value that JSON.parse returned
 */

/**
 * Reads the text that `encode.js` writes.
 *
 * @param {import('./language').Language} language
 * @returns {Decoder}
 */
function makeDecode(language) {
  const { BigInt, Date, Error, Map, NATIVE_ERRORS, Object, RegExp, Set, Symbol, TypeError, Uint8Array, VIEWS } =
    language;
  const { atob, bare, charCode, hide, mapSet, parse, put, setAdd, slice, startsWith, typedBuffer, typedLength } =
    language;

  const bytesOf = (/** @type {string} */ encoded) => {
    const binary = atob(encoded);
    const { length } = binary;
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at++) bytes[at] = charCode(binary, at);
    return typedBuffer(bytes);
  };
  const bigOfText = (/** @type {string} */ digits) =>
    startsWith(digits, '-') ? -BigInt(`0x${slice(digits, 1)}`) : BigInt(`0x${digits}`);
  /** Whether an element separates the elements of an array from its pairs of keys and values. */
  const isMark = (/** @type {any} */ element) => typeof element === 'object' && element !== null && element[0] === 'p';

  /** A Float32Array of the same numbers, for engines without Float16Array. */
  const floatsOf = (/** @type {any} */ bits) => {
    const floats = new VIEWS.Float32Array(typedLength(bits));
    for (let at = 0; at < bits.length; at++) {
      const exponent = (bits[at] >> 10) & 31;
      const fraction = bits[at] & 1023;
      const size =
        exponent === 31
          ? fraction === 0
            ? Infinity
            : NaN
          : exponent === 0
            ? fraction * 2 ** -24
            : (1 + fraction / 1024) * 2 ** (exponent - 15);
      floats[at] = bits[at] >> 15 === 1 ? -size : size;
    }
    return floats;
  };

  const isPrimitive = (/** @type {any} */ element) => typeof element !== 'object' || element === null;
  /** The items of a list that contains only primitives; undefined for other lists. */
  const primitives = (/** @type {any} */ node) => {
    if (node[0] !== 'a' || node.length !== node[1] + 2) return undefined;
    /** @type {any[]} */
    const items = [];
    for (let at = 2; at < node.length; at++) {
      if (!isPrimitive(node[at])) return undefined;
      put(items, at - 2, node[at]);
    }
    return items;
  };

  /** The cost of an entry or a property. The guest chooses the keys, and may choose keys that are slow. */
  const KEY_STEPS = 8;
  const never = () => false;

  /** @type {Decode} */
  const decode = (encoded, options = {}) => {
    // Most values are only a primitive or a list of primitives.
    const parts = parse(encoded);
    if (isPrimitive(parts[0])) return parts[0];
    const list = parts.length === 2 && parts[0][0] === 0 ? primitives(parts[1]) : undefined;
    if (list !== undefined) return list;
    const work = decoding(parts, options);
    work.goOn(never);
    return work.value();
  };

  /** @type {Decoder['decoding']} */
  const decoding = (parts, options) => {
    const { stackOf, lookOf, onComplete } = options;
    const { regexpOf = (/** @type {string} */ source, /** @type {string} */ flags) => new RegExp(source, flags) } =
      options;
    const made = bare();

    const part = (/** @type {any} */ element) => {
      if (typeof element !== 'object' || element === null) return element;
      const first = element[0];
      if (typeof first === 'number') {
        if (first >= 0) return made[first];
        return first === -1 ? undefined : first === -2 ? NaN : first === -3 ? Infinity : first === -4 ? -Infinity : -0;
      }
      if (first === 'n') return bigOfText(element[1]);
      if (first === 'y') return Symbol(element[1]);
      if (lookOf !== undefined) return lookOf(element);
      throw new TypeError('not a value');
    };

    /** The object that a node stands for, still empty. */
    const shell = (/** @type {any} */ node) => {
      switch (node[0]) {
        case 'o':
          return {};
        case 'a': {
          /** @type {any[]} */
          const items = [];
          items.length = node[1];
          return items;
        }
        case 'M':
          return new Map();
        case 'S':
          return new Set();
        case 'd':
          return new Date(node[1] ?? NaN);
        case 'r':
          return regexpOf(node[1], node[2]);
        case 'e':
          return errorOf(node);
        case 'B':
          return bytesOf(node[1]);
        case 'v':
          return viewOf(node);
        case 'w':
          return Object(part(node[1]));
        default:
          if (lookOf === undefined) throw new TypeError('not a value');
          return lookOf(node);
      }
    };

    /** A view may come before or after its buffer, which depends on no other node. */
    const viewOf = (/** @type {any} */ node) => {
      const number = node[2][0];
      const buffer = (made[number] ??= bytesOf(parts[number + 1][1]));
      const View = VIEWS[node[1]] ?? (node[1] === 'Float16Array' ? undefined : Uint8Array);
      if (View !== undefined) return new View(buffer, node[3], node[4]);
      return floatsOf(new VIEWS.Uint16Array(buffer, node[3], node[4]));
    };

    const errorOf = (/** @type {any} */ node) => {
      const name = part(node[1]);
      const message = part(node[2]);
      const error = new (NATIVE_ERRORS[name] ?? Error)(message);
      const stack = part(node[3]);
      const head = message === '' ? name : `${name}: ${message}`;
      hide(error, 'stack', typeof stack !== 'string' ? head : stackOf === undefined ? stack : stackOf(stack));
      if (!(name in NATIVE_ERRORS)) hide(error, 'name', name);
      return error;
    };

    let shells = 1;
    let filled = 1;
    /** Position of the next part of the current node; 0: not started. */
    let at = 0;
    let isPastMark = false;

    /** @type {(value: any, node: any, first: number, isSpent: (steps: number) => boolean, take: any) => boolean} */
    const takePairs = (value, node, first, isSpent, take) => {
      if (at === 0) at = first;
      while (at < node.length) {
        take(value, node[at], part(node[at + 1]));
        at += 2;
        if (isSpent(KEY_STEPS)) return at >= node.length;
      }
      return true;
    };
    const takeElements = (/** @type {any} */ value, /** @type {any} */ node, /** @type {any} */ isSpent) => {
      if (at === 0) at = 2;
      while (!isPastMark && at < node.length) {
        isPastMark = isMark(node[at]);
        if (!isPastMark) put(value, at - 2, part(node[at]));
        at++;
        if (isSpent(1)) return at >= node.length;
      }
      return takePairs(value, node, at, isSpent, put);
    };
    const takeItems = (/** @type {any} */ value, /** @type {any} */ node, /** @type {any} */ isSpent) => {
      if (at === 0) at = 1;
      while (at < node.length) {
        setAdd(value, part(node[at]));
        at++;
        if (isSpent(KEY_STEPS)) return at >= node.length;
      }
      return true;
    };
    const putEntry = (/** @type {any} */ map, /** @type {any} */ key, /** @type {any} */ value) =>
      mapSet(map, part(key), value);

    /**
     * Fills `value` from its node. Returns whether it is complete.
     * @type {(value: any, node: any, isSpent: (steps: number) => boolean) => boolean}
     */
    const fill = (value, node, isSpent) => {
      switch (node[0]) {
        case 'o':
          return takePairs(value, node, 1, isSpent, put);
        case 'c':
          return takePairs(value, node, 2, isSpent, put);
        case 'a':
          return takeElements(value, node, isSpent);
        case 'M':
          return takePairs(value, node, 1, isSpent, putEntry);
        case 'S':
          return takeItems(value, node, isSpent);
        case 'e':
          if (at !== 0) return takePairs(value, node, at, isSpent, put);
          at = 6;
          // Flags: 1 for a cause, 2 for a list of errors.
          if ((node[4] & 1) !== 0) hide(value, 'cause', part(node[5]));
          if ((node[4] & 2) === 0 || node.length < 8) return takePairs(value, node, at, isSpent, put);
          hide(value, node[6], part(node[7]));
          at = 8;
          return takePairs(value, node, at, isSpent, put);
        default:
          return true;
      }
    };

    return {
      goOn: (isSpent) => {
        for (; shells < parts.length; shells++) {
          if (isSpent(1)) return false;
          made[shells - 1] ??= shell(parts[shells]);
        }
        for (; filled < parts.length; filled++) {
          if (!fill(made[filled - 1], parts[filled], isSpent)) return false;
          onComplete?.(made[filled - 1], parts[filled], isPastMark);
          at = 0;
          isPastMark = false;
          if (isSpent(1)) {
            filled++;
            return filled === parts.length;
          }
        }
        return true;
      },
      value: () => part(parts[0]),
    };
  };

  return { decode, decoding };
}

module.exports = { makeDecode };
