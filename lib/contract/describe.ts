import { types } from 'node:util';
import type { Foreign } from './foreign';

/** A value in the form that messages about wrong arguments show: short, and without running any of its code. */
export function describe(value: unknown) {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return bigintText(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    default:
      if (value === null) return 'null';
      // `Array.isArray` throws for a proxy that was revoked.
      if (types.isProxy(value)) return 'a proxy';
      return Array.isArray(value) ? 'an array' : 'an object';
  }
}

/** Integers with more bits are not printed: the time to print one grows with the square of its length. */
const MAX_BITS = 1_024;
/** Beyond this length, all integers are described alike, because a comparison takes a copy. */
const MAX_COMPARED_BITS = 1 << 20;

/** Whether an integer is shown by its length. */
export function isLongBigint(value: bigint) {
  return BigInt.asIntN(MAX_BITS, value) !== value;
}

/** Returns an integer as JavaScript writes it, or its length if it is too long. */
export function bigintText(value: bigint) {
  if (!isLongBigint(value)) return `${value}n`;
  let bits = MAX_BITS;
  while (bits < MAX_COMPARED_BITS && BigInt.asIntN(2 * bits, value) !== value) bits *= 2;
  return `[a BigInt of more than ${bits} bits]`;
}

/** The path of a property, as code would write it. */
export function memberPath(parent: string, key: string) {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(key)
    ? `${parent}.${key}`
    : `${parent}[${JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}...` : key)}]`;
}

/**
 * Whether `value` is a plain object of any realm, or the namespace of an ES module. Arrays and instances of classes are
 * neither.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is a `URL`, of Node.js or of another implementation, such as jsdom. */
export function isUrl(value: Foreign): value is URL {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.href === 'string' &&
    typeof value.protocol === 'string' &&
    typeof value.searchParams === 'object'
  );
}

/** Whether a value is an integer that only a BigInt can hold. Python passes such integers to tools. */
export function isBeyondNumbers(value: unknown) {
  return typeof value === 'bigint' && !Number.isSafeInteger(Number(value));
}

/** The name of the class of an object. */
export function className(value: object) {
  try {
    const { constructor } = value;
    return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'object';
  } catch {
    return 'object';
  }
}

export function isClass(value: unknown) {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
