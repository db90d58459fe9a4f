import { isDeepStrictEqual, types } from 'node:util';

import { TransferLimitError } from '../contract/errors';
import { isLongToList } from '../contract/wide-objects';
import { webClassOf } from './host-objects';
import { hasV8Format } from './v8-format';
import { MAX_HOLES, elementsOf, ownView, viewTag } from './typed-arrays';
import { ERROR_CLASSES, ERROR_TAG, FLAG_BITS, NOT_LATIN1, TAG, VERSION, VIEW_CLASSES } from './wire-tags';
import type { Foreign } from '../contract/foreign';
import type { WorkBudget } from '../contract/budget';

// A writer of V8's serialization format in JavaScript. It writes the same bytes as V8, with two exceptions. V8 chooses
// the form of an array by the way in which it stores the elements, and this file by the number of missing elements. A
// `DOMException` is always written as an error with its message. V8 writes values that it writes faster, and objects
// that only the host knows, if it can write them.

/** The initial size of a writer's buffer, in bytes. A writer keeps this much for its next value. */
const FIRST_BYTES = 4_096;
/** Strings up to this length are written unit by unit, which is faster than a check for Latin-1. */
const SHORT_UNITS = 64;
/** For a longer array, the check for keys that are not indices costs nothing per index. */
const SHORT_ARRAY = 64;
/** Serialized values beyond this length, and those of long arrays, are left to V8: 16 KiB. */
const MAX_SMALL_BYTES = 16 << 10;
/** Thrown to leave a value to V8. */
const LEFT = new Error('left to V8');
/** Thrown for an object in a value that is written in slices if listing its keys takes too long. */
export const LONG_TO_LIST = new Error('too many keys');

/** Levels of a value that is written in slices. Deeper values are left to V8, which knows the size of its stack. */
const MAX_DEPTH = 2_000;
/** The most objects in one map of numbers, and the memory of each. */
const MAX_NUMBERS = 1 << 17;
const BYTES_PER_NUMBER = 48;
/**
 * The size from which a buffer does not grow, but is followed by another one. It is also the size of the following
 * ones.
 */
const BLOCK_BYTES = 2 << 20;
/** Elements of an array that are written before the budget is checked again. */
const ELEMENTS_PER_STEP = 64;

/**
 * Continues with a value whose beginning is written, up to one of its parts or for some steps.
 *
 * @returns AT_PART: `#part` must be written next; AT_END: the end is written
 */
type Open = () => typeof AT_PART | typeof AT_END | typeof CONTINUES;
const AT_PART = 1;
const AT_END = 2;
const CONTINUES = 3;

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  /**
   * Full blocks before `#bytes`, of a value that is written in slices, and their length: copying a long one takes
   * memory.
   */
  #blocks: Buffer<ArrayBuffer>[] = [];
  #blocksLength = 0;
  /** Objects in the order in which they were met, for references. */
  #numbers: Map<object, number> = new Map();
  /** Earlier maps of a value that is written in slices: letting one map grow further takes too long. */
  #earlier: Map<object, number>[] = [];
  #next = 0;
  #limit = Infinity;
  /** Whether the value is written in slices. */
  #isSliced = false;
  #part: unknown;

  /**
   * The same as `write` without recursion, for a writer that writes nothing else. If the value changes between slices,
   * the bytes are still those of one value.
   *
   * @param budget counts parts, and the memory for recognizing repeated objects
   * @throws {TransferLimitError | BudgetError | Error}
   */
  *writing(value: unknown, limit: number, budget: WorkBudget): Generator<void, Buffer, void> {
    this.#limit = limit;
    this.#isSliced = true;
    this.#tag(TAG.VERSION);
    this.#varint(VERSION);
    const open: Open[] = [];
    const begin = (part: unknown) => {
      const opened = this.#open(part, budget);
      if (opened !== undefined && open.push(opened) > MAX_DEPTH) throw LEFT;
    };
    begin(value);
    while (open.length > 0) {
      budget.addPart();
      if (budget.shouldPause) yield;
      const at = open[open.length - 1]();
      if (at === AT_PART) begin(this.#part);
      else if (at === AT_END) open.pop();
      else budget.spend(ELEMENTS_PER_STEP);
    }
    return this.#release();
  }

  /** Writes a value, or its beginning. */
  #open(value: Foreign, budget: WorkBudget): Open | undefined {
    if (typeof value !== 'object' || value === null) return void this.#value(value);
    if (this.#numbers.size === MAX_NUMBERS) {
      this.#earlier.push(this.#numbers);
      this.#numbers = new Map();
    }
    if (this.#numberOf(value) !== undefined) return void this.#reference(value);
    budget.addBytes(BYTES_PER_NUMBER);
    const isList = !types.isProxy(value) && Array.isArray(value);
    if (isList || isPlain(value) || isError(value) || types.isMap(value) || types.isSet(value)) {
      this.#numbers.set(value, this.#next++);
      if (isList) return this.#openArray(value);
      if (types.isMap(value))
        return this.#openItems(TAG.MAP, [...Map.prototype.entries.call(value)].flat(), TAG.MAP_END);
      if (types.isSet(value)) return this.#openItems(TAG.SET, [...Set.prototype.values.call(value)], TAG.SET_END);
      if (isError(value)) return this.#openError(value);
      this.#tag(TAG.OBJECT);
      return this.#openProperties(value, keysOf(value), (written) => {
        this.#tag(TAG.OBJECT_END);
        this.#varint(written);
      });
    }
    return void this.#reference(value);
  }

  /** @param end writes the end */
  #openProperties(object: Foreign, keys: string[], end: (written: number) => void): Open {
    let at = 0;
    let written = 0;
    return () => {
      while (at < keys.length) {
        const key = keys[at++];
        const part = object[key];
        if (part === undefined && !Object.hasOwn(object, key)) continue;
        this.#key(key);
        this.#part = part;
        written++;
        return AT_PART;
      }
      end(written);
      return AT_END;
    };
  }

  #openItems(tag: number, items: unknown[], endTag: number): Open {
    this.#tag(tag);
    let at = 0;
    return () => {
      if (at < items.length) {
        this.#part = items[at++];
        return AT_PART;
      }
      this.#tag(endTag);
      this.#varint(items.length);
      return AT_END;
    };
  }

  #openError(error: Error): Open {
    const cause = this.#beginError(error);
    let isCauseLeft = cause !== undefined;
    return () => {
      if (isCauseLeft) {
        isCauseLeft = false;
        this.#tag(ERROR_TAG.CAUSE);
        this.#part = cause?.value;
        return AT_PART;
      }
      this.#tag(ERROR_TAG.END);
      return AT_END;
    };
  }

  #openArray(array: Foreign[]): Open {
    const { length } = array;
    const [start, next] = [this.#blocksLength + this.#at, this.#next];
    this.#tag(TAG.ARRAY);
    this.#varint(length);
    const elements = elementsOf(array)[Symbol.iterator]();
    let holes = 0;
    let at = 0;
    let rest: Open | undefined;
    const openRest = () => {
      const keys = array.length === length && hasOnlyElements(array) ? [] : keysOf(array);
      const others = keys.length > length - holes ? keys.slice(indicesOf(keys)) : [];
      return this.#openProperties(array, others, (written) => {
        this.#tag(TAG.ARRAY_END);
        this.#varint(written);
        this.#varint(length);
      });
    };
    return () => {
      if (rest !== undefined) return rest();
      for (const end = Math.min(length, at + ELEMENTS_PER_STEP); at < end; at++) {
        // A getter or the host has made the array shorter.
        const { done = false, value: part } = elements.next();
        if (part !== undefined || (!done && Object.hasOwn(array, at))) {
          if (typeof part === 'object' && part !== null) {
            at++;
            this.#part = part;
            return AT_PART;
          }
          this.#value(part);
        } else if (done || ++holes <= MAX_HOLES) {
          this.#tag(TAG.HOLE);
        } else {
          this.#rewind(start);
          this.#forget(next);
          rest = this.#openSparse(array);
          return CONTINUES;
        }
      }
      if (at === length) rest = openRest();
      return CONTINUES;
    };
  }

  #openSparse(array: Foreign[]): Open {
    const { length } = array;
    this.#tag(TAG.SPARSE_ARRAY);
    this.#varint(length);
    return this.#openProperties(array, keysOf(array), (written) => {
      this.#tag(TAG.SPARSE_ARRAY_END);
      this.#varint(written);
      this.#varint(length);
    });
  }

  /**
   * Serializes `value`.
   *
   * @param limit in bytes
   * @returns bytes that no other code holds
   * @throws {TransferLimitError | Error}
   */
  write(value: unknown, limit: number): Buffer {
    this.#limit = limit;
    try {
      this.#tag(TAG.VERSION);
      this.#varint(VERSION);
      this.#value(value);
      return this.#release();
    } finally {
      this.#at = 0;
      this.#next = 0;
      if (this.#numbers.size > 0) this.#numbers = new Map();
      if (this.#bytes.length > FIRST_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    }
  }

  #release() {
    const length = this.#blocksLength + this.#at;
    if (length > this.#limit) throw new TransferLimitError();
    const written = this.#bytes.subarray(0, this.#at);
    if (this.#blocks.length > 0) return this.#joined(written, length);
    return this.#bytes.length > FIRST_BYTES ? written : Buffer.from(written);
  }

  #joined(last: Buffer, length: number) {
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const block of [...this.#blocks, last]) {
      bytes.set(block, at);
      at += block.length;
    }
    return bytes;
  }

  /** Continues at an earlier position. */
  #rewind(position: number) {
    while (position < this.#blocksLength) {
      this.#bytes = this.#blocks.pop() as Buffer<ArrayBuffer>;
      this.#blocksLength -= this.#bytes.length;
    }
    this.#at = position - this.#blocksLength;
  }

  #value(value: Foreign) {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return this.#number(value);
      case 'object':
        return value === null ? this.#tag(TAG.NULL) : this.#reference(value);
      case 'boolean':
        return this.#tag(value ? TAG.TRUE : TAG.FALSE);
      case 'undefined':
        return this.#tag(TAG.UNDEFINED);
      case 'bigint':
        this.#tag(TAG.BIGINT);
        return this.#bigint(value);
      default:
        return refuse(value);
    }
  }

  #numberOf(object: object) {
    const number = this.#numbers.get(object);
    if (number !== undefined || this.#earlier.length === 0) return number;
    for (const numbers of this.#earlier) {
      const earlier = numbers.get(object);
      if (earlier !== undefined) return earlier;
    }
    return undefined;
  }

  #reference(object: object) {
    const number = this.#numberOf(object);
    if (number === undefined) {
      this.#numbers.set(object, this.#next++);
      return this.#object(object);
    }
    this.#tag(TAG.REFERENCE);
    this.#varint(number);
  }

  /** @param object one that already has its number */
  #object(object: Foreign) {
    if (types.isProxy(object)) return refuse(object);
    if (Array.isArray(object)) return this.#array(object);
    if (isPlain(object)) return this.#plain(object);
    if (isError(object)) return this.#error(object);
    if (types.isDate(object)) {
      this.#tag(TAG.DATE);
      return this.#double(Date.prototype.getTime.call(object));
    }
    if (types.isMap(object)) return this.#map(object);
    if (types.isSet(object)) return this.#set(object);
    if (types.isRegExp(object)) return this.#regexp(object);
    if (ArrayBuffer.isView(object)) return this.#hostView(object);
    if (types.isArrayBuffer(object)) return this.#buffer(object);
    if (types.isBoxedPrimitive(object)) return this.#boxed(object);
    if (hasV8Format) throw LEFT;
    if (isOfEngine(object, Object.getPrototypeOf(object)) || webClassOf(object) !== undefined) return refuse(object);
    return this.#plain(object);
  }

  #plain(object: Foreign) {
    if (hasV8Format && isLongToList(object)) throw LEFT;
    this.#tag(TAG.OBJECT);
    const written = this.#properties(object, Object.keys(object));
    this.#tag(TAG.OBJECT_END);
    this.#varint(written);
  }

  /** @param from index of the first key to write */
  #properties(object: Foreign, keys: string[], from: number = 0) {
    let written = 0;
    for (let at = from; at < keys.length; at++) {
      const key = keys[at];
      const part = object[key];
      // A getter before it may have deleted it.
      if (part === undefined && !Object.hasOwn(object, key)) continue;
      this.#key(key);
      this.#value(part);
      written++;
    }
    return written;
  }

  #key(key: string) {
    // The indices of arrays are written as numbers.
    const first = key.charCodeAt(0);
    if (first >= 0x30 && first <= 0x39 && isIndex(key)) return this.#number(Number(key));
    return this.#text(key);
  }

  #array(array: Foreign[]) {
    const { length } = array;
    if (hasV8Format && length > SHORT_ARRAY) throw LEFT;
    const [start, next] = [this.#at, this.#next];
    this.#tag(TAG.ARRAY);
    this.#varint(length);
    let holes = 0;
    let at = 0;
    for (const part of elementsOf(array)) {
      if (at === length) break;
      if (part !== undefined || Object.hasOwn(array, at)) {
        this.#value(part);
      } else if (++holes <= MAX_HOLES) {
        this.#tag(TAG.HOLE);
      } else {
        // No reference points to the bytes that are written again: the numbers of the dropped objects are not used.
        this.#at = start;
        this.#forget(next);
        return this.#sparse(array);
      }
      at++;
    }
    // A getter has made it shorter.
    for (; at < length; at++) this.#tag(TAG.HOLE);
    // A getter may have given it any length.
    const keys = array.length === length && hasOnlyElements(array) ? [] : Object.keys(array);
    const written = keys.length > length - holes ? this.#properties(array, keys, indicesOf(keys)) : 0;
    this.#tag(TAG.ARRAY_END);
    this.#varint(written);
    this.#varint(length);
  }

  #sparse(array: Foreign[]) {
    this.#tag(TAG.SPARSE_ARRAY);
    this.#varint(array.length);
    const written = this.#properties(array, Object.keys(array));
    this.#tag(TAG.SPARSE_ARRAY_END);
    this.#varint(written);
    this.#varint(array.length);
  }

  /** Takes back the numbers from `next` on. */
  #forget(next: number) {
    for (const numbers of [this.#numbers, ...this.#earlier]) {
      for (const [object, number] of numbers) if (number >= next) numbers.delete(object);
    }
    this.#next = next;
  }

  #map(map: Map<unknown, unknown>) {
    this.#tag(TAG.MAP);
    // A getter may change the map.
    const entries = [...Map.prototype.entries.call(map)];
    for (const [key, value] of entries) {
      this.#value(key);
      this.#value(value);
    }
    this.#tag(TAG.MAP_END);
    this.#varint(entries.length * 2);
  }

  #set(set: Set<unknown>) {
    this.#tag(TAG.SET);
    const items = [...Set.prototype.values.call(set)];
    for (const item of items) this.#value(item);
    this.#tag(TAG.SET_END);
    this.#varint(items.length);
  }

  #error(error: Error) {
    const cause = this.#beginError(error);
    if (cause !== undefined) {
      this.#tag(ERROR_TAG.CAUSE);
      this.#value(cause.value);
    }
    this.#tag(ERROR_TAG.END);
  }

  /** @returns its cause, if it has one */
  #beginError(error: Error): { value?: unknown } | undefined {
    this.#tag(TAG.ERROR);
    const kind = ERROR_CLASSES.get(String(error.name));
    if (kind !== undefined) this.#tag(kind);
    const own = Object.getOwnPropertyDescriptor(error, 'message');
    const message = own !== undefined && 'value' in own ? String(own.value) : domMessage(error);
    if (message !== undefined) {
      this.#tag(ERROR_TAG.MESSAGE);
      this.#text(message);
    }
    const { stack } = error;
    if (typeof stack === 'string') {
      this.#tag(ERROR_TAG.STACK);
      this.#text(stack);
    }
    const cause = Object.getOwnPropertyDescriptor(error, 'cause');
    return cause !== undefined && 'value' in cause ? cause : undefined;
  }

  #regexp(regexp: RegExp) {
    this.#tag(TAG.REGEXP);
    this.#text(regexp.source);
    let bits = 0;
    for (const flag of regexp.flags) bits |= FLAG_BITS[flag];
    this.#varint(bits);
  }

  /**
   * A view in the form that the isolate expects: a host object whose body is a view that shares its buffer with none of
   * the host's.
   */
  #hostView(object: ArrayBufferView) {
    this.#tag(TAG.HOST_OBJECT);
    const view = ownView(object);
    this.#reference(view.buffer);
    this.#next++;
    const { byteOffset, byteLength } = view;
    this.#tag(TAG.VIEW);
    this.#tag(VIEW_CLASSES.get(viewTag(view) ?? 'DataView') as number);
    this.#varint(byteOffset);
    this.#varint(byteLength);
    this.#varint(0);
  }

  #buffer(buffer: ArrayBuffer) {
    // Throws if the buffer is detached.
    const bytes = new Uint8Array(buffer);
    // @ts-expect-error: younger than the library that is compiled against.
    const { resizable, maxByteLength } = buffer;
    this.#tag(resizable ? TAG.RESIZABLE_BUFFER : TAG.BUFFER);
    this.#varint(bytes.length);
    if (resizable) this.#varint(maxByteLength);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #boxed(object: Foreign) {
    const value = unboxed(object);
    switch (typeof value) {
      case 'boolean':
        return this.#tag(value ? TAG.TRUE_OBJECT : TAG.FALSE_OBJECT);
      case 'number':
        this.#tag(TAG.NUMBER_OBJECT);
        return this.#double(value);
      case 'bigint':
        this.#tag(TAG.BIGINT_OBJECT);
        return this.#bigint(value);
      case 'string':
        this.#tag(TAG.STRING_OBJECT);
        return this.#text(value);
      default:
        return refuse(object);
    }
  }

  #number(value: number) {
    const integer = value | 0;
    if (integer === value && (integer !== 0 || 1 / value > 0)) {
      this.#tag(TAG.INTEGER);
      return this.#varint(((integer << 1) ^ (integer >> 31)) >>> 0);
    }
    this.#tag(TAG.DOUBLE);
    this.#double(value);
  }

  #bigint(value: bigint) {
    const digits = (value < 0n ? -value : value).toString(16);
    // Whole words of eight bytes.
    const length = value === 0n ? 0 : Math.ceil(digits.length / 16) * 8;
    this.#varint(length * 2 + (value < 0n ? 1 : 0));
    if (length === 0) return;
    this.#room(length);
    const bytes = this.#bytes.subarray(this.#at, (this.#at += length));
    bytes.write(digits.padStart(length * 2, '0'), 'hex');
    bytes.reverse();
  }

  #text(text: string) {
    const { length } = text;
    this.#room(length + 2);
    if (length > SHORT_UNITS) return NOT_LATIN1.test(text) ? this.#utf16(text) : this.#latin1(text);
    const bytes = this.#bytes;
    const start = this.#at + 2;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0xff) return this.#utf16(text);
      bytes[start + index] = unit;
    }
    bytes[this.#at] = TAG.LATIN1;
    bytes[this.#at + 1] = length;
    this.#at = start + length;
  }

  #latin1(text: string) {
    this.#tag(TAG.LATIN1);
    this.#varint(text.length);
    this.#room(text.length);
    this.#at += this.#bytes.write(text, this.#at, 'latin1');
  }

  #utf16(text: string) {
    const length = text.length * 2;
    // Two-byte units must be at an even offset.
    if ((this.#blocksLength + this.#at + 1 + varintBytes(length)) % 2 === 1) this.#tag(TAG.PADDING);
    this.#tag(TAG.UTF16);
    this.#varint(length);
    this.#room(length);
    this.#at += this.#bytes.write(text, this.#at, 'utf16le');
  }

  #double(value: number) {
    double[0] = value;
    this.#room(8);
    this.#bytes.set(doubleBytes, this.#at);
    this.#at += 8;
  }

  /** Base 128, lowest digits first. */
  #varint(value: number) {
    this.#room(8);
    while (value >= 128) {
      this.#bytes[this.#at++] = (value % 128) + 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#at++] = value;
  }

  #tag(tag: number) {
    if (this.#at === this.#bytes.length) this.#room(1);
    this.#bytes[this.#at++] = tag;
  }

  /** @param length in bytes of the next write */
  #room(length: number) {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    if (this.#blocksLength + needed - 8 > this.#limit) throw new TransferLimitError();
    if (hasV8Format && !this.#isSliced && needed > MAX_SMALL_BYTES) throw LEFT;
    if (this.#isSliced && this.#at > 0 && needed > BLOCK_BYTES) return this.#beginBlock(length);
    const bytes = Buffer.allocUnsafeSlow(
      Math.max(needed, Math.min(this.#bytes.length * 2, Math.max(this.#limit + 8, FIRST_BYTES))),
    );
    bytes.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = bytes;
  }

  /** @param length in bytes of the next write */
  #beginBlock(length: number) {
    this.#blocks.push(this.#bytes.subarray(0, this.#at));
    this.#blocksLength += this.#at;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(length, BLOCK_BYTES));
    this.#at = 0;
  }
}

/** The keys of an object in a value that is written in slices. */
function keysOf(object: object) {
  if (isLongToList(object)) throw LONG_TO_LIST;
  return Object.keys(object);
}

function varintBytes(value: number) {
  let bytes = 1;
  for (; value >= 128; value = Math.floor(value / 128)) bytes++;
  return bytes;
}

function isIndex(key: string) {
  const number = Number(key);
  return number < 0xffff_ffff && String(number) === key && Number.isInteger(number);
}

/**
 * Whether a long array certainly has no keys except indices. Listing keys makes a string of each index, whereas this
 * comparison takes nanoseconds per element: it compares elements with themselves.
 */
export function hasOnlyElements(array: unknown[]) {
  if (array.length <= SHORT_ARRAY) return false;
  return (comparesKeysFirst && isComparedByElements(array)) || isDeepStrictEqual([].concat(array as Foreign), array);
}

/** Whether comparing an array of that length without other keys reaches the first element. */
function isComparedByElements(array: unknown[]) {
  let isCompared = false;
  const other: unknown[] = [];
  const get = () => {
    isCompared = true;
    return NaN;
  };
  Object.defineProperty(other, 0, { get, enumerable: true });
  other.length = array.length;
  isDeepStrictEqual(array, other);
  return isCompared;
}

/** The way in which Node.js compares. */
const comparesKeysFirst = isComparedByElements([1, 2]) && !isComparedByElements(Object.assign([1, 2], { other: 1 }));

/** The number of an object's keys that are indices. They come first, so a binary search finds the first other key. */
function indicesOf(keys: string[]) {
  let low = 0;
  for (let high = keys.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (isIndex(keys[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unboxed(object: object) {
  if (types.isNumberObject(object)) return Number.prototype.valueOf.call(object);
  if (types.isStringObject(object)) return String.prototype.valueOf.call(object);
  if (types.isBooleanObject(object)) return Boolean.prototype.valueOf.call(object);
  if (types.isBigIntObject(object)) return BigInt.prototype.valueOf.call(object);
  return undefined;
}

const getDomMessage = Object.getOwnPropertyDescriptor(DOMException.prototype, 'message')?.get;

/**
 * The message of a `DOMException`, which some engines treat as an error and others do not; undefined for anything else.
 */
function domMessage(object: object): string | undefined {
  if (!(object instanceof DOMException) || getDomMessage === undefined) return undefined;
  try {
    return String(Reflect.apply(getDomMessage, object, []));
  } catch {
    // It only inherits from the class.
    return undefined;
  }
}

const NATIVE_CODE = /\{\s*\[native code\]\s*\}\s*$/;
/** Whether instances of the class that owns a prototype have state besides their properties. */
const nativePrototypes: WeakMap<object, boolean> = new WeakMap();

/**
 * Whether `object` belongs to a class of the engine or the host that nothing above knows. Its state is not in its
 * properties.
 *
 * @param prototype of the object
 */
function isOfEngine(object: object, prototype: object | null) {
  if (types.isArgumentsObject(object) || types.isGeneratorObject(object) || types.isModuleNamespaceObject(object)) {
    return true;
  }
  for (let at = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    let isNative = nativePrototypes.get(at);
    if (isNative === undefined) {
      const maker = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
      isNative = typeof maker === 'function' && NATIVE_CODE.test(Function.prototype.toString.call(maker));
      nativePrototypes.set(at, isNative);
    }
    if (isNative) return true;
  }
  return false;
}

function isPlain(object: object) {
  if (types.isProxy(object)) return false;
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null) return !types.isModuleNamespaceObject(object);
  return prototype === Object.prototype && !types.isArgumentsObject(object);
}

function isError(object: object): object is Error {
  return types.isNativeError(object) || domMessage(object) !== undefined;
}

function refuse(value: unknown): never {
  throw new TypeError(`a value of type ${typeof value} could not be cloned`);
}

function isStackOverflow(error: unknown) {
  return error instanceof RangeError && !(error instanceof TransferLimitError);
}

/** A writer that is not in use. While one writes, a getter may cause another value to be written. */
let idle: WireWriter | undefined = new WireWriter();

/**
 * Serializes `value` as V8 would. Undefined if V8 should do it.
 *
 * @param limit in bytes
 * @throws {TransferLimitError | Error}
 */
export function writeWire(value: unknown, limit: number): Buffer | undefined {
  const writer = idle ?? new WireWriter();
  idle = undefined;
  try {
    return writer.write(value, limit);
  } catch (error) {
    // V8 needs less stack for the same value.
    if (error === LEFT || (hasV8Format && isStackOverflow(error))) return undefined;
    throw error;
  } finally {
    idle = writer;
  }
}

/**
 * The work that writes a value, which may be large. The result is undefined if V8 should write it.
 *
 * @param limit of its bytes
 */
export function* writing(value: unknown, limit: number, budget: WorkBudget): Generator<void, Buffer | undefined, void> {
  try {
    return yield* new WireWriter().writing(value, limit, budget);
  } catch (error) {
    if (error === LEFT) return undefined;
    throw error;
  }
}
