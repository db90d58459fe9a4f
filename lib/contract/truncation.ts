import { inspect, types } from 'node:util';

import { bigintText, isLongBigint } from './describe';
import { keysOf } from './wide-objects';
import type { Foreign } from './foreign';

/** Limits of a copy. */
const MAX_NODES = 2_500;
const MAX_CHARS = 64 << 10;
const MAX_DEPTH = 50;
/** Keys that may be listed only to find out whether an object has parts. */
const MAX_KEYS = 20_000;

/** Text that printers show without quotes instead of a value. */
class Remark {
  #text;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON() {
    return this.#text;
  }

  /** For labels of `console.count` and `console.time`. */
  toString() {
    return this.#text;
  }

  [inspect.custom]() {
    return this.#text;
  }
}

/** a value that has parts; `of` is the value that contains it */
export type Copied = { value: Foreign; copy: Foreign; of: Copied | undefined; depth: number };

/** A copy of the first parts of a value, level by level, with remarks about the rest. */
export function truncated(value: unknown): unknown {
  return new Cutter().cut(value);
}

class Cutter {
  #nodesLeft = MAX_NODES;
  #charsLeft = MAX_CHARS;
  #keysLeft = MAX_KEYS;
  /** Values whose parts are still to be copied, outer ones first. */
  #copied: Copied[] = [];

  cut(value: unknown) {
    const copy = this.#copyOf(value, undefined);
    // The list grows during the loop.
    for (const copied of this.#copied) this.#fill(copied);
    return copy;
  }

  #copyOf(value: Foreign, of: Copied | undefined) {
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

  #fill(copied: Copied) {
    const { value, copy } = copied;
    const add = adderTo(copy);
    const count = value.length ?? value.size;
    const addRest = () =>
      add('...', new Remark(typeof count === 'number' ? `... of ${count} items` : '... more'), true);
    if (this.#isSpent() && this.#keysLeft <= 0) return count === 0 ? undefined : addRest();
    for (const { key, value: part } of partsOf(value, (keys) => (this.#keysLeft -= keys.length))) {
      if (this.#isSpent()) return addRest();
      add(this.#text(key), this.#copyOf(part, copied), false);
    }
  }

  #integer(value: bigint) {
    const text = bigintText(value);
    this.#charsLeft -= text.length;
    return isLongBigint(value) ? new Remark(text) : value;
  }

  #text(text: string) {
    const kept = text.slice(0, Math.max(this.#charsLeft, 0));
    this.#charsLeft -= kept.length;
    return kept.length === text.length ? text : `${kept}... ${text.length - kept.length} more characters`;
  }

  #isSpent() {
    return this.#nodesLeft <= 0 || this.#charsLeft <= 0;
  }
}

/**
 * Returns a function that adds parts to a copy, in the order in which `partsOf` yields them. The last part may be a
 * remark.
 */
function adderTo(copy: Foreign): (key: string, part: unknown, isLast: boolean) => void {
  if (Array.isArray(copy)) return (_key, part) => void copy.push(part);
  if (copy instanceof Set) return (_key, part) => void copy.add(part);
  if (copy instanceof Map) {
    let pair: unknown[] = [];
    return (_key, part, isLast) => {
      pair.push(part);
      if (pair.length < 2 && !isLast) return;
      copy.set(pair[0], pair[1] ?? part);
      pair = [];
    };
  }
  return (key, part) => void Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true });
}

/** @param onKeys called with the keys of an object after they were listed */
function* partsOf(value: Foreign, onKeys: (keys: string[]) => void): Generator<{ key: string; value: unknown }, void> {
  if (Array.isArray(value) || types.isTypedArray(value)) {
    for (let at = 0; at < value.length; at++) yield { key: '', value: value[at] };
  } else if (types.isMap(value) || types.isSet(value)) {
    for (const entry of value as Iterable<Foreign>) {
      if (types.isSet(value)) yield { key: '', value: entry };
      else for (const part of entry) yield { key: '', value: part };
    }
  } else if (!types.isAnyArrayBuffer(value) && !types.isDataView(value)) {
    const keys = keysOf(value);
    onKeys(keys);
    for (const key of keys) yield { key, value: value[key] };
  }
}
