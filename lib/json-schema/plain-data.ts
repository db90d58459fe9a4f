import { types } from 'node:util';

import { isBeyondNumbers, isPlainObject } from '../contract/describe';
import { isWide } from '../contract/wide-objects';
import { pathText } from './issues';
import type { Foreign } from '../contract/foreign';
import type { WorkBudget } from '../contract/budget';

/** Levels of objects and arrays in a value that is checked by a schema. */
export const MAX_DEPTH = 64;
/** Properties of one object: listing more takes too long for the event loop. */
const MAX_PROPERTIES = 100_000;
/** Memory of an object or array without its parts, and of one part. */
const OBJECT_BYTES = 48;
const PART_BYTES = 8;

/** A value is not JSON, or has a shape that no schema can allow. */
export class NotJsonError extends TypeError {}

/** Copies a value, so that the checked value and the used value are the same. */
export class PlainData {
  #budget;
  #path: (string | number)[] = [];

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  /**
   * The JSON form of a value: new objects and arrays with their own properties. A `Date` becomes its ISO string, a
   * property with the value `undefined` is left out, and a missing or `undefined` element becomes `null`. Everything
   * else that JSON does not have is refused. An object that occurs several times is copied each time.
   *
   * @param value data without code
   * @throws {NotJsonError} with the place and what to pass instead
   */
  *copy(value: unknown): Generator<void, Foreign, void> {
    this.#budget.addPart();
    if (typeof value !== 'object' || value === null) return this.#primitive(value);
    if (this.#path.length === MAX_DEPTH) throw new NotJsonError(`it must be nested at most ${MAX_DEPTH} deep`);
    if (!types.isProxy(value)) {
      if (Array.isArray(value)) return yield* this.#array(value);
      if (isPlainObject(value)) return yield* this.#object(value);
      if (types.isDate(value) && !Number.isNaN(Number(value))) return Date.prototype.toISOString.call(value);
    }
    throw this.#refused(`is ${kindOf(value)}, which JSON does not have${insteadOf(value)}`);
  }

  *#array(array: unknown[]) {
    const { length } = array;
    this.#budget.expectParts(length);
    this.#budget.addBytes(OBJECT_BYTES + PART_BYTES * length);
    const path = this.#path;
    // If the copy grew, V8 would move all its elements several times, each time in one piece.
    const copy: unknown[] = new Array(length);
    for (let index = 0; index < length; index++) {
      const element = array[index];
      if (this.#budget.shouldPause) yield;
      const isSimple = typeof element === 'number' ? Number.isFinite(element) : typeof element === 'string';
      if (isSimple) {
        this.#budget.addPart();
        copy[index] = element;
        continue;
      }
      path.push(index);
      copy[index] = element === undefined ? this.#missing() : yield* this.copy(element);
      path.pop();
    }
    return copy;
  }

  #missing() {
    this.#budget.addPart();
    return null;
  }

  *#object(object: Record<string, unknown>) {
    const keys = isWide(object) ? undefined : Object.keys(object);
    if (keys === undefined || keys.length > MAX_PROPERTIES) {
      throw this.#refused(`has more than ${MAX_PROPERTIES} properties; pass an array`);
    }
    this.#budget.addBytes(OBJECT_BYTES + 2 * PART_BYTES * keys.length);
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      if (key === '__proto__') throw new NotJsonError('no object may have the key `__proto__`');
      const value = object[key];
      if (value === undefined) continue;
      this.#path.push(key);
      copy[key] = yield* this.copy(value);
      this.#path.pop();
      if (this.#budget.shouldPause) yield;
    }
    return copy;
  }

  #primitive(value: unknown) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value;
      throw this.#refused(`is ${value}, which JSON does not have; pass a number or null`);
    }
    if (typeof value === 'bigint') {
      const reason = isBeyondNumbers(value) ? 'an integer beyond 2^53' : 'a BigInt; pass a number';
      throw this.#refused(`is ${reason}`);
    }
    throw this.#refused(`is ${value === undefined ? 'undefined' : `a ${typeof value}`}, which JSON does not have`);
  }

  #refused(reason: string) {
    const place = this.#path.length === 0 ? 'the whole' : JSON.stringify(pathText(this.#path));
    return new NotJsonError(`it cannot be written as JSON: ${place} ${reason}`);
  }
}

/** An object that is neither an array nor plain, as messages name it: "a Set". */
export function kindOf(value: object) {
  if (types.isProxy(value)) return 'a proxy';
  if (types.isDate(value)) return Number.isNaN(Date.prototype.getTime.call(value)) ? 'an invalid Date' : 'a Date';
  if (types.isNativeError(value)) return 'an Error';
  if (types.isAnyArrayBuffer(value)) return 'an ArrayBuffer';
  const name = ArrayBuffer.isView(value)
    ? Object.prototype.toString.call(value).slice('[object '.length, -1)
    : Object.getPrototypeOf(value)?.constructor?.name;
  if (typeof name !== 'string' || !/^[A-Z]\w{0,40}$/.test(name)) return 'an object of a class';
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
}

function insteadOf(value: object) {
  if (types.isSet(value) || (ArrayBuffer.isView(value) && !types.isDataView(value)))
    return '; pass an array: [...value]';
  if (types.isMap(value)) return '; pass an object: Object.fromEntries(value)';
  if (types.isNativeError(value)) return '; pass its message';
  if (types.isRegExp(value)) return '; pass its source';
  return '; pass a plain object';
}
