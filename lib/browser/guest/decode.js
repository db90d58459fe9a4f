// @ts-check
'use strict';

/**
 * @typedef {object} DecodeOptions
 * @property {(stack: string) => string} [stackOf] what is shown of an error's stack
 * @property {(source: string, flags: string) => any} [regexpOf]
 * @property {(look: any[]) => any} [lookOf] makes what a value looks like
 *
 * @typedef {(text: string, options?: DecodeOptions) => any} Decode throws TypeError for what `encode` does not write
 */

/**
 * Reads what `encode.js` writes.
 *
 * @param {import('./language').Language} language
 * @returns {Decode}
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
  /** What separates the elements of an array from pairs of keys and values. */
  const isMark = (/** @type {any} */ element) => typeof element === 'object' && element !== null && element[0] === 'p';

  /** A Float32Array of the same numbers, where there is no Float16Array. */
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
  /** A list of nothing but primitives, else undefined. */
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

  return function decode(encoded, options = {}) {
    // Most of what crosses is no more than that.
    const parts = parse(encoded);
    if (isPrimitive(parts[0])) return parts[0];
    const list = parts.length === 2 && parts[0][0] === 0 ? primitives(parts[1]) : undefined;
    return list ?? decodeAll(parts, options);
  };

  /** @type {(parts: any[], options: DecodeOptions) => any} */
  function decodeAll(parts, options) {
    const { stackOf, lookOf } = options;
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

    /** What a node is, but for what it holds. */
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

    /** Views come before or after their buffers, which need nothing else. */
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

    const fill = (/** @type {any} */ value, /** @type {any} */ node) => {
      switch (node[0]) {
        case 'o':
        case 'c':
          for (let at = node[0] === 'o' ? 1 : 2; at < node.length; at += 2) put(value, node[at], part(node[at + 1]));
          break;
        case 'a': {
          let at = 2;
          for (; at < node.length && !isMark(node[at]); at++) put(value, at - 2, part(node[at]));
          for (at++; at < node.length; at += 2) put(value, node[at], part(node[at + 1]));
          break;
        }
        case 'M':
          for (let at = 1; at < node.length; at += 2) mapSet(value, part(node[at]), part(node[at + 1]));
          break;
        case 'S':
          for (let at = 1; at < node.length; at++) setAdd(value, part(node[at]));
          break;
        case 'e':
          // Marks: 1 for a cause, 2 for the errors that it stands for.
          if ((node[4] & 1) !== 0) hide(value, 'cause', part(node[5]));
          for (let at = 6; at < node.length; at += 2) {
            const isHidden = at === 6 && (node[4] & 2) !== 0;
            (isHidden ? hide : put)(value, node[at], part(node[at + 1]));
          }
      }
    };

    for (let index = 1; index < parts.length; index++) made[index - 1] ??= shell(parts[index]);
    for (let index = 1; index < parts.length; index++) fill(made[index - 1], parts[index]);
    return part(parts[0]);
  }
}

module.exports = { makeDecode };
