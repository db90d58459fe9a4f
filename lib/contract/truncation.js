// @ts-check
'use strict';

const { inspect, types } = require('node:util');

const { bigintText, isLongBigint } = require('./describe');
const { keysOf } = require('./wide-objects');

/** What a copy has of a value. */
const MAX_NODES = 2_500;
const MAX_CHARS = 64 << 10;
const MAX_DEPTH = 50;

/** A text that printers show without quotes, where there is no value. */
class Remark {
  #text;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  toJSON() {
    return this.#text;
  }

  [inspect.custom]() {
    return this.#text;
  }
}

/** @typedef {{ value: any, copy: any, of: Copied | undefined, depth: number }} Copied a value that has parts; part of `of` */

/**
 * A copy of what comes first in a value, level by level, with remarks on the rest.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
function truncated(value) {
  return new Cutter().cut(value);
}

class Cutter {
  #nodesLeft = MAX_NODES;
  #charsLeft = MAX_CHARS;
  /** Values whose parts are to be copied, outer ones first. */
  /** @type {Copied[]} */
  #copied = [];

  /** @param {unknown} value */
  cut(value) {
    const copy = this.#copyOf(value, undefined);
    // Grows meanwhile.
    for (const copied of this.#copied) this.#fill(copied);
    return copy;
  }

  /**
   * @param {any} value
   * @param {Copied | undefined} of
   */
  #copyOf(value, of) {
    this.#nodesLeft--;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') return this.#integer(value);
    if (typeof value !== 'object' || value === null) return value;
    if (types.isNativeError(value)) return new Remark(this.#text(`[${value.name}: ${value.message}]`));
    if (types.isBigIntObject(value)) return new Remark(`[BigInt: ${bigintText(BigInt.prototype.valueOf.call(value))}]`);
    if (types.isStringObject(value))
      return new Remark(`[String: '${this.#text(String.prototype.valueOf.call(value))}']`);
    if (types.isRegExp(value)) return new Remark(this.#text(RegExp.prototype.toString.call(value)));
    if (types.isDate(value) || types.isBoxedPrimitive(value)) return value;
    for (let outer = of; outer !== undefined; outer = outer.of) {
      if (outer.value === value) return new Remark('[Circular]');
    }
    const depth = (of?.depth ?? 0) + 1;
    const isList = Array.isArray(value) || types.isTypedArray(value);
    if (this.#isSpent() || depth > MAX_DEPTH) return new Remark(isList ? '[Array]' : '[Object]');
    const copy = isList ? [] : types.isMap(value) ? new Map() : types.isSet(value) ? new Set() : {};
    this.#copied.push({ value, copy, of, depth });
    return copy;
  }

  /** @param {Copied} copied */
  #fill(copied) {
    const { value, copy } = copied;
    const add = adderTo(copy);
    for (const { key, value: part } of partsOf(value, Infinity)) {
      if (this.#isSpent()) {
        const count = value.length ?? value.size;
        add('...', new Remark(typeof count === 'number' ? `... of ${count} items` : '... more'), true);
        return;
      }
      add(this.#text(key), this.#copyOf(part, copied), false);
    }
  }

  /** @param {bigint} value */
  #integer(value) {
    const text = bigintText(value);
    this.#charsLeft -= text.length;
    return isLongBigint(value) ? new Remark(text) : value;
  }

  /** @param {string} text */
  #text(text) {
    const kept = text.slice(0, Math.max(this.#charsLeft, 0));
    this.#charsLeft -= kept.length;
    return kept.length === text.length ? text : `${kept}... ${text.length - kept.length} more characters`;
  }

  #isSpent() {
    return this.#nodesLeft <= 0 || this.#charsLeft <= 0;
  }
}

/**
 * Adds parts to a copy in the order in which `partsOf` gives them; the last one may be a remark.
 *
 * @param {any} copy
 * @returns {(key: string, part: unknown, isLast: boolean) => void}
 */
function adderTo(copy) {
  if (Array.isArray(copy)) return (_key, part) => void copy.push(part);
  if (copy instanceof Set) return (_key, part) => void copy.add(part);
  if (copy instanceof Map) {
    /** @type {unknown[]} */
    let pair = [];
    return (_key, part, isLast) => {
      pair.push(part);
      if (pair.length < 2 && !isLast) return;
      copy.set(pair[0], pair[1] ?? part);
      pair = [];
    };
  }
  return (key, part) => void Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true });
}

/**
 * What a value is made of, for printers.
 *
 * @param {any} value
 * @param {number} items
 * @returns {Generator<{ key: string, value: unknown }, undefined>}
 */
function* partsOf(value, items) {
  if (Array.isArray(value) || types.isTypedArray(value)) {
    const length = Math.min(value.length, items);
    // Holes are shown too, or passed over one by one.
    for (let at = 0; at < length; at++) yield { key: '', value: value[at] };
  } else if (types.isMap(value) || types.isSet(value)) {
    let left = items;
    for (const entry of /** @type {Iterable<any>} */ (value)) {
      if (left-- === 0) return;
      if (types.isSet(value)) yield { key: '', value: entry };
      else for (const part of entry) yield { key: '', value: part };
    }
  } else if (!types.isAnyArrayBuffer(value) && !types.isDataView(value)) {
    if (types.isNativeError(value)) yield { key: 'cause', value: value.cause };
    for (const key of keysOf(value)) yield { key, value: value[key] };
  }
}

module.exports = { truncated, partsOf };
