import { KeyCount } from '../contract/wide-objects';
import type { Foreign } from '../contract/foreign';

// How `wire-reader.ts` and `slices.ts` assemble values from their parts, in the order in which the parts arrive.

const ERRORS = {
  E: EvalError,
  R: RangeError,
  F: ReferenceError,
  S: SyntaxError,
  T: TypeError,
  U: URIError,
} as Record<string, ErrorConstructor>;

/**
 * Shared, because creating a descriptor takes longer than using it. It has no prototype, which could have accessors.
 */
const descriptor = Object.assign(Object.create(null), { writable: true, configurable: true });

/**
 * Defines an own property. An assignment would call setters, and would fail at read-only properties of prototypes
 * (`__proto__`).
 */
export function define(object: object, key: PropertyKey, value: unknown, enumerable: boolean = true) {
  descriptor.value = value;
  descriptor.enumerable = enumerable;
  Object.defineProperty(object, key, descriptor);
  descriptor.value = undefined;
}

/** A value whose parts are being read. */
export interface Frame {
  value: unknown;
  /** checks for the end, and reads it */
  isComplete: () => boolean;
  accept: (part: Foreign) => void;
  /**
   * takes parts from an index on, as many as are of one kind; returns the index of the first part that it did not take
   */
  acceptAll?: (parts: unknown[], from: number) => number;
}

/** Keys and values, alternating, which become own properties. */
export function properties(value: object, isComplete: () => boolean): Frame {
  let pending: { key: PropertyKey } | undefined;
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

/** Up to this length, V8 allocates room for all elements of an array when its length is set. */
const MAX_ROOM = 2 ** 25;

/** Gives an empty array its length without room for the elements, most of which are missing. */
export function growSparse(array: unknown[], length: number) {
  if (length > 0 && length <= MAX_ROOM) {
    // An element far away from the others makes V8 keep the elements in a table.
    define(array, length - 1, undefined);
    delete array[length - 1];
  }
  array.length = length;
  return array;
}

export function mapFrame(isComplete: () => boolean, value: Map<unknown, unknown> = new Map()): Frame {
  let pending: { key: unknown } | undefined;
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

export function setFrame(isComplete: () => boolean, value: Set<unknown> = new Set()): Frame {
  return { value, isComplete, accept: (part) => void value.add(part) };
}

/**
 * An error. It exists before its cause is read, because the cause may refer to it.
 *
 * @param readFields reads up to the end, or up to the cause: true at the end
 * @param error with its fields
 */
export function errorFrame(
  readFields: (set: (key: string, value: unknown) => void, become: (kind: string) => void) => boolean,
  error: Error = bareError(),
): Frame {
  const become: (kind: string) => void = (kind) => void Object.setPrototypeOf(error, (ERRORS[kind] ?? Error).prototype);
  const set: (key: string, value: unknown) => void = (key, value) => define(error, key, value, false);
  return {
    value: error,
    isComplete: () => readFields(set, become),
    accept: (cause) => set('cause', cause),
  };
}

function withoutStack(error: Error) {
  define(error, 'stack', undefined, false);
  return error;
}

/** An error without message and stack. Capturing a stack takes longer than reading the rest of the error. */
export function bareError() {
  const { stackTraceLimit } = Error;
  // Not by assignment, which throws if the host has frozen it.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = new Error();
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  return withoutStack(error);
}
