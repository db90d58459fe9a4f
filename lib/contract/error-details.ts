import { types } from 'node:util';

import { describe, isLongBigint, isPlainObject } from './describe';
import { readProperty } from './read-property';
import { defineMember } from './tool-names';
import { isWide } from './wide-objects';
import type { Foreign } from './foreign';

// What guests get of a tool's error besides name, message and code: cause, errors, status and data. The error may come
// from a third party: getters may throw or return something else each time, causes may lead back to their error, and
// lists may be endless. So a copy of plain data crosses. Nothing of proxies is read, and parts beyond the limits are
// left out. Receivers: crates/engine/js/62_tool_errors.js, lib/browser/guest/tools.js, lib/python/prelude/70_tools.py.

/** Errors that lie inside each other. */
const MAX_DEPTH = 8;
/** Errors of one list. One more error says how many are left out. */
const MAX_ERRORS = 20;
/** Errors inside one error, at any depth. */
const MAX_ALL_ERRORS = 64;
/** UTF-16 units of each string of an inner error. */
const MAX_TEXT = 4_096;
/** UTF-16 units of a status. Longer ones are left out. */
const MAX_STATUS = 100;
/** UTF-16 units of all strings except statuses. */
const MAX_ALL_CHARS = 65_536;
/** Parts of all values. Values with more than 20,000 parts would be serialized in slices. */
const MAX_ALL_PARTS = 10_000;
/** UTF-16 units of the strings of one value, names of properties included. */
const MAX_VALUE_CHARS = 16_384;
const MAX_VALUE_PARTS = 2_000;
const MAX_VALUE_DEPTH = 50;

/** What an error has besides name, message and code. Absent parts have no keys. */
export interface ErrorDetails {
  /** The guest's error is an instance of `AggregateError`. */
  isAggregate?: true;
  cause?: Part;
  errors?: Part[];
  /** Also taken from `statusCode`. */
  status?: number | string;
  /** Plain data. */
  data?: unknown;
}

/** A value, or the name, message, code and details of an error. */
export type Part =
  | [value: unknown]
  | [name: string, message: string, code: string | number | undefined, details: ErrorDetails | undefined];

/** Errors of whose details guests get only the status. */
const discreet: WeakSet<object> = new WeakSet();
/** Error → the value whose details guests get in its place. */
const wrapped: WeakMap<object, unknown> = new WeakMap();

/**
 * Keeps cause, errors and data of an error from guests, because they may show requests, credentials or paths of the
 * host. The host sees them.
 *
 * @internal
 * @returns the error
 */
export function hideDetails<T>(error: T): T {
  if (isObject(error)) discreet.add(error);
  return error;
}

/**
 * Makes guests see the details of `thrown` as details of `error`, which wraps it for the host.
 *
 * @internal
 */
export function wrapDetails(error: Error, thrown: unknown) {
  wrapped.set(error, thrown);
}

/**
 * The details of a value that a tool has thrown. Never throws.
 *
 * @internal
 * @returns undefined if there are none
 */
export function errorDetails(thrown: unknown): ErrorDetails | undefined {
  try {
    const source = isObject(thrown) && wrapped.has(thrown) ? wrapped.get(thrown) : thrown;
    return isReadable(source) ? new DetailsReader().detailsOf(source, 0) : undefined;
  } catch {
    return undefined;
  }
}

/** A value is not plain data, or too large. */
const LEFT_OUT = Symbol('left out');

class DetailsReader {
  #charsLeft = MAX_ALL_CHARS;
  #partsLeft = MAX_ALL_PARTS;
  #errorsLeft = MAX_ALL_ERRORS;
  /** The errors that contain the current one. */
  #containing: Set<object> = new Set();

  detailsOf(error: object, depth: number): ErrorDetails | undefined {
    const details: ErrorDetails = {};
    this.#containing.add(error);
    if (isAggregate(error)) Object.assign(details, { isAggregate: true, errors: [] });
    if (!discreet.has(error)) this.#addInner(details, error, depth);
    const status = [readProperty(error, 'status'), readProperty(error, 'statusCode')].find(isStatus);
    if (status !== undefined) details.status = status;
    this.#containing.delete(error);
    return Object.keys(details).length === 0 ? undefined : details;
  }

  #addInner(details: ErrorDetails, error: object, depth: number) {
    // First, because inner errors may use up what is left of the limits.
    const data = this.#value(readProperty(error, 'data'));
    if (data !== undefined) [details.data] = data;
    const cause = this.#part(readProperty(error, 'cause'), depth);
    if (cause !== undefined) details.cause = cause;
    const errors = this.#errorsOf(readProperty(error, 'errors'), depth);
    if (errors !== undefined) details.errors = errors;
  }

  #errorsOf(errors: Foreign, depth: number): Part[] | undefined {
    if (types.isProxy(errors) || !Array.isArray(errors)) return undefined;
    const { length } = errors;
    const parts: Part[] = [];
    for (let at = 0; at < Math.min(length, MAX_ERRORS); at++) {
      const value = readProperty(errors, at);
      const part: Part | undefined = value === undefined ? [undefined] : this.#part(value, depth);
      if (part !== undefined) parts.push(part);
    }
    const missing = length - parts.length;
    if (missing > 0) parts.push(['Error', `errors left out: ${missing}`, undefined, undefined]);
    return parts;
  }

  /** @returns undefined for a part that is left out */
  #part(value: unknown, depth: number): Part | undefined {
    if (!isReadable(value) || !isError(value)) return this.#value(value);
    if (depth >= MAX_DEPTH || this.#containing.has(value) || --this.#errorsLeft < 0) return undefined;
    const [name, message, code] = ['name', 'message', 'code'].map((key) => readProperty(value, key));
    const told = typeof message === 'string' || message === undefined ? (message ?? '') : describe(message);
    const part: Part = [
      typeof name === 'string' && name !== '' ? cut(name) : 'Error',
      cut(told),
      typeof code === 'string' ? cut(code) : typeof code === 'number' ? code : undefined,
      undefined,
    ];
    const chars = part.reduce((sum: number, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
    if (chars > this.#charsLeft) return undefined;
    this.#charsLeft -= chars;
    part[3] = this.detailsOf(value, depth + 1);
    return part;
  }

  /** A copy of plain data. */
  #value(value: unknown): [value: unknown] | undefined {
    if (value === undefined) return undefined;
    const maxParts = Math.min(this.#partsLeft, MAX_VALUE_PARTS);
    const copier = new Copier(Math.min(this.#charsLeft, MAX_VALUE_CHARS), maxParts);
    try {
      return [copier.copyOf(value, 0)];
    } catch {
      // Including errors of getters.
      return undefined;
    } finally {
      this.#charsLeft -= copier.chars;
      this.#partsLeft -= copier.parts;
    }
  }
}

/** Copies primitives, arrays, plain objects and dates. Everything else is refused with `LEFT_OUT`. */
class Copier {
  chars = 0;
  parts = 0;
  #maxChars;
  #maxParts;

  constructor(maxChars: number, maxParts: number) {
    this.#maxChars = maxChars;
    this.#maxParts = maxParts;
  }

  copyOf(value: unknown, depth: number): unknown {
    if (this.parts >= this.#maxParts || depth > MAX_VALUE_DEPTH) throw LEFT_OUT;
    this.parts++;
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
      case 'boolean':
      case 'undefined':
        return value;
      case 'bigint':
        if (isLongBigint(value)) throw LEFT_OUT;
        return value;
      case 'object':
        return value === null ? null : this.#objectOf(value, depth);
      default:
        throw LEFT_OUT;
    }
  }

  #objectOf(value: Foreign, depth: number) {
    if (types.isProxy(value)) throw LEFT_OUT;
    if (Array.isArray(value)) {
      const { length } = value;
      if (length > this.#maxParts - this.parts) throw LEFT_OUT;
      return Array.from({ length }, (_, at) => this.copyOf(value[at], depth + 1));
    }
    if (types.isDate(value)) return new Date(Date.prototype.getTime.call(value));
    if (!isPlainObject(value) || isWide(value)) throw LEFT_OUT;
    // V8 can list the first keys of an object only by listing all of them: `for`-`in` with a limit takes as long.
    const keys = Object.keys(value);
    if (keys.length > this.#maxParts - this.parts) throw LEFT_OUT;
    const copy = {};
    for (const key of keys) defineMember(copy, this.#text(key), this.copyOf(value[key], depth + 1));
    return copy;
  }

  #text(text: string) {
    if (text.length > this.#maxChars - this.chars) throw LEFT_OUT;
    this.chars += text.length;
    return text;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Nothing of a host's proxy is read. */
function isReadable(value: unknown): value is object {
  return isObject(value) && !types.isProxy(value);
}

function isError(value: object) {
  return types.isNativeError(value) || isInstance(value, Error);
}

function isAggregate(value: object) {
  return (
    isInstance(value, AggregateError) ||
    (types.isNativeError(value) && readProperty(value, 'name') === 'AggregateError')
  );
}

function isStatus(value: unknown): value is number | string {
  return Number.isFinite(value) || (typeof value === 'string' && value !== '' && value.length <= MAX_STATUS);
}

/** The prototype may be a proxy that throws. */
function isInstance(value: object, Class: Function) {
  try {
    return value instanceof Class;
  } catch {
    return false;
  }
}

function cut(text: string) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}
