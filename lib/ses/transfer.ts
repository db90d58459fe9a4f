import { types } from 'node:util';
import v8 = require('node:v8');

import { BudgetError, WorkBudget, inSlices } from '../contract/budget';
import { TransferLimitError, UncloneableError, describeThrown } from '../contract/errors';
import { hasMoreParts } from '../contract/parts';
import { longToListText } from '../contract/wide-objects';
import { HostObjectError } from './host-objects';
import { findUncloneable } from './uncloneable';
import { hasV8Format } from './v8-format';
import { bufferOf, byteLengthOf, ownView } from './typed-arrays';
import { readWire } from './wire-reader';
import { isLargerThan } from './wire-size';
import { NOT_LATIN1 } from './wire-tags';
import { VALUE_KIND } from '../contract/boundary-numbers';
import { LONG_TO_LIST, writeWire, writing } from './wire-writer';
import type { Foreign } from '../contract/foreign';
import type { RunScope } from '../contract/run-scope';

// Values are transferred in V8's serialization format. On the isolate's side, V8 itself reads and writes it. On this
// side, small values are read and written in JavaScript, because creating V8's reader or writer takes longer. Large
// values are left to `node:v8`, if it supports the format. Views of array buffers are host objects here, whose body is
// one nested value. Views that do not cover their buffer are copied here, so that no memory of the host's buffer pools
// is transferred.

/** Serialized values up to this length are read in JavaScript: 16 KiB. */
const MAX_SMALL_BYTES = 16 << 10;

/** Writes one value. Its own class, because V8 calls the methods with an underscore. */
class Writer extends v8.Serializer {
  constructor() {
    super();
    // @ts-expect-error: not in Node's types, but documented.
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }

  _writeHostObject(object: object) {
    if (!ArrayBuffer.isView(object)) throw new HostObjectError(object);
    // @ts-expect-error: see the constructor.
    this._setTreatArrayBufferViewsAsHostObjects(false);
    // Never `object` itself: V8 has already given it a number, and would write a reference to the object that is being
    // written.
    this.writeValue(ownView(object));
    // @ts-expect-error: see the constructor.
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }
}

/**
 * Serializes `value`.
 *
 * @param path how messages name the value
 * @param maxBytes a value that is certainly larger is not written; the executor's thread refuses the rest
 * @param shown what messages show in place of `value`
 * @throws {UncloneableError | TransferLimitError}
 */
export function encode(value: unknown, path: string, maxBytes: number, shown: unknown = value): Buffer {
  try {
    return writeWire(value, maxBytes) ?? writeWithV8(value, maxBytes);
  } catch (error) {
    throw asRefused(error, shown, path, maxBytes);
  }
}

/** Minimum memory for recognizing repeated objects of a value. */
const MIN_KNOWN_BYTES = 16 << 20;

/** The same for a value of many parts, in slices. */
async function encodeLarge(value: unknown, path: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
  const budget = new WorkBudget({ parts: Infinity, ms: Infinity, bytes: Math.max(MIN_KNOWN_BYTES, 4 * maxBytes) });
  try {
    return (await inSlices(writing(value, maxBytes, budget), budget, signal)) ?? writeWithV8(value, maxBytes);
  } catch (error) {
    throw signal?.aborted === true ? error : asRefused(error, value, path, maxBytes);
  }
}

/** @param error of a writer */
function asRefused(error: unknown, shown: unknown, path: string, maxBytes: number) {
  if (error instanceof TransferLimitError || error instanceof BudgetError) return tooLarge(path, maxBytes);
  if (error === LONG_TO_LIST) return new UncloneableError(longToListText(path));
  return new UncloneableError(refusal(error, shown, path), { cause: error });
}

/** @throws {TransferLimitError | Error} */
function writeWithV8(value: unknown, maxBytes: number) {
  if (isLargerThan(value, maxBytes)) throw new TransferLimitError();
  const writer = new Writer();
  writer.writeHeader();
  writer.writeValue(value);
  return writer.releaseBuffer();
}

function tooLarge(path: string, maxBytes: number) {
  return new TransferLimitError(`the ${path} would take more than maxTransferBytes (${maxBytes})`);
}

function refusal(error: unknown, value: unknown, path: string) {
  const clone = (part: unknown) => writeWire(part, Infinity) ?? writeWithV8(part, Infinity);
  const found = findUncloneable(value, path, clone, error instanceof HostObjectError ? error.object : undefined);
  if (found !== undefined) return found;
  if (error instanceof RangeError) return `${path} cannot be cloned: it is nested too deeply or too large`;
  return `${path} cannot be cloned: ${describeThrown(error).message}`;
}

const { PLAIN, LATIN1, BYTES, WIRE } = VALUE_KIND;
/** From this size on, strings and bytes are handed over with one copy: 4,096 UTF-16 units or bytes. */
const MIN_LARGE = 4_096;

/** The kind in which the native side takes `value`: directly, or as serialized bytes. */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'undefined':
      return PLAIN;
    case 'string':
      return value.length < MIN_LARGE || NOT_LATIN1.test(value) ? PLAIN : LATIN1;
    case 'object':
      if (value === null) return PLAIN;
      return isLargeArray(value) ? BYTES : WIRE;
    default:
      return WIRE;
  }
}

/** Whether `object` is a Uint8Array whose elements can be copied in one operation. */
function isLargeArray(object: object) {
  if (!types.isUint8Array(object)) return false;
  const length = byteLengthOf(object) as number;
  return length >= MIN_LARGE && !types.isSharedArrayBuffer(bufferOf(object));
}

/**
 * The payload of `value` for the native side; a promise if making it takes long.
 *
 * @param kind of the value, by `kindOf`
 * @param scope within which the payload is needed
 * @throws {UncloneableError | TransferLimitError} as `encode`
 */
export function payloadOf(kind: number, value: unknown, path: string, maxBytes: number, scope?: RunScope) {
  if (kind === WIRE) return wireOf(value, path, maxBytes, scope);
  if (sizeOf(value) > maxBytes) throw tooLarge(path, maxBytes);
  return value;
}

/** The most parts that V8 writes in one piece: about 10 ms. */
const MAX_PARTS_AT_ONCE = 20_000;

function wireOf(value: unknown, path: string, maxBytes: number, scope?: RunScope): Buffer | Promise<Buffer> {
  try {
    const wire = writeWire(value, maxBytes);
    if (wire !== undefined) return wire;
    if (mayHaveMoreParts(value, MAX_PARTS_AT_ONCE)) return encodeLarge(value, path, maxBytes, scope?.signal);
    return writeWithV8(value, maxBytes);
  } catch (error) {
    throw asRefused(error, value, path, maxBytes);
  }
}

function mayHaveMoreParts(value: unknown, max: number) {
  try {
    return hasMoreParts(value, max);
  } catch {
    // If a getter throws, the writer reports which one.
    return false;
  }
}

/**
 * The elements of `values` for the native side, kind and value of each, if none of them needs a serializer and at most
 * one is an object: several objects may share a buffer.
 *
 * @param path how messages name the values
 * @param maxBytes of all of them
 * @throws {TransferLimitError}
 */
export function withoutWire(values: unknown[], path: string, maxBytes: number): unknown[] | undefined {
  const list = [];
  let objects = 0;
  let bytes = 0;
  for (const value of values) {
    const kind = kindOf(value);
    if (kind === WIRE || (kind === BYTES && ++objects > 1)) return undefined;
    bytes += sizeOf(value);
    list.push(kind, value);
  }
  if (bytes > maxBytes) throw tooLarge(path, maxBytes);
  return list;
}

/** A lower bound of the bytes of a value that is not serialized. */
function sizeOf(value: Foreign): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? byteLengthOf(value) : 1;
}

/**
 * Returns the value that the native side delivered.
 *
 * @param received a primitive, an ArrayBuffer that stands for a Uint8Array on it, or serialized bytes
 * @throws {Error} like `decode`
 */
export function valueOf(received: Foreign) {
  if (typeof received !== 'object' || received === null) return received;
  return types.isArrayBuffer(received) ? new Uint8Array(received) : decode(received);
}

/**
 * Returns the values that the native side delivered.
 *
 * @param received an array of values that `valueOf` takes, or a serialized array
 * @throws {Error} like `decode`
 */
function valuesOf(received: Foreign): Foreign[] {
  if (!Array.isArray(received)) return decode(received);
  for (let at = 0; at < received.length; at++) {
    const part = received[at];
    if (typeof part === 'object' && part !== null) received[at] = new Uint8Array(part);
  }
  return received;
}

/**
 * The arguments of a tool call, or the reason why they cannot be read.
 *
 * @param received a value that `valuesOf` takes
 */
export function readArguments(received: unknown): unknown[] | { error: unknown } {
  try {
    return valuesOf(received);
  } catch (error) {
    return { error };
  }
}

/**
 * A value that V8 cannot read is read by the slower reader up to this size, so that guests cannot keep the host busy: 1
 * MiB.
 */
const MAX_SLOW_BYTES = 1 << 20;

/**
 * Reads a value that the isolate serialized.
 *
 * @throws {Error} if it is large and nested more deeply than the stack allows, or if V8 does not write such bytes
 */
export function decode(wire: Uint8Array): Foreign {
  if (!hasV8Format || wire.length <= MAX_SMALL_BYTES) return readWire(wire);
  const reader = new v8.Deserializer(wire);
  try {
    reader.readHeader();
    return reader.readValue();
  } catch (error) {
    if (wire.length > MAX_SLOW_BYTES) throw error;
    return readWire(wire);
  }
}

export { WIRE };
