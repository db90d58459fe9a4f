import { define, growSparse, bareError } from './wire-frames';
import { ERROR_CLASSES, ERROR_TAG, FLAG_BITS, TAG, VIEW_CLASSES } from './wire-tags';
import type { Foreign } from '../contract/foreign';

// A reader of V8's serialization format with the methods of `v8.Deserializer`. It does not need the stack for nesting.
// It is used where V8's own reader fails (at nesting deeper than the thread's stack and, in older Node.js versions, at
// errors that are part of their cause and at the class Float16Array), where creating V8's reader takes longer than
// reading, and where there is no such reader.

/** What `#start` returns for a value whose parts follow. */
const OPEN = Symbol('open');
/** Strings up to this length are looked up among those read before: most are keys, which recur. */
const MAX_KEPT = 24;
const KEPT = 512;
const kept: string[] = new Array(KEPT).fill('');

const ERRORS = invert(ERROR_CLASSES);
const VIEWS = invert(VIEW_CLASSES);
const FLOAT16 = VIEW_CLASSES.get('Float16Array');

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** A value whose parts are being read. */
class Frame {
  kind;
  value;
  length;

  /** For an array: the element to read next. */
  index = 0;
  /** For a value with keys: the key whose value is being read. */
  key: Foreign = undefined;
  /** For a Map: whether the key was read. */
  hasKey = false;

  /**
   * @param kind its tag
   * @param length of an array
   */
  constructor(kind: number, value: Foreign, length: number) {
    this.kind = kind;
    this.value = value;
    this.length = length;
  }
}

export class WireReader {
  #bytes;
  #at = 0;
  /** Objects by their numbers, for references. */
  #objects: unknown[] = [];
  #frames: Frame[] = [];

  constructor(wire: Uint8Array) {
    this.#bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.byteLength);
  }

  readHeader() {
    if (this.#byte() !== TAG.VERSION) throw new RangeError('no serialized value');
    this.readUint32();
    return true;
  }

  /** Base 128, lowest digits first. */
  readUint32() {
    let byte = this.#byte();
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = this.#byte();
      value += (byte & 127) * scale;
    }
    return value;
  }

  readValue(): Foreign {
    const frames = this.#frames;
    let part = this.#start();
    for (;;) {
      if (part !== OPEN) {
        const of = frames.at(-1);
        if (of === undefined) return part;
        accept(of, part);
      }
      const frame = frames.at(-1) as Frame;
      if (this.#fill(frame)) {
        frames.pop();
        part = frame.value;
      } else {
        part = OPEN;
      }
    }
  }

  /**
   * Reads parts of a value up to its end, or up to one that has parts itself.
   *
   * @returns whether it is complete
   */
  #fill(frame: Frame): boolean {
    switch (frame.kind) {
      case TAG.OBJECT:
        return this.#properties(frame, TAG.OBJECT_END, 1);
      case TAG.SPARSE_ARRAY:
        return this.#properties(frame, TAG.SPARSE_ARRAY_END, 2);
      case TAG.ARRAY:
        return this.#elements(frame) && this.#properties(frame, TAG.ARRAY_END, 2);
      case TAG.MAP:
      case TAG.SET:
        return this.#items(frame, frame.kind === TAG.MAP ? TAG.MAP_END : TAG.SET_END);
      default:
        return this.#fields(frame);
    }
  }

  /**
   * @param end tag
   * @param numbers after the tag
   */
  #properties(frame: Frame, end: number, numbers: number) {
    const { value } = frame;
    while (!this.#ends(end, numbers)) {
      const key = this.#start();
      if (typeof key !== 'string' && typeof key !== 'number') throw new RangeError('a key was expected');
      const part = this.#start();
      if (part === OPEN) {
        frame.key = key;
        return false;
      }
      put(value, key, part);
    }
    return true;
  }

  #elements(frame: Frame) {
    const { value, length } = frame;
    while (frame.index < length) {
      if (this.#bytes[this.#at] === TAG.HOLE) {
        this.#at++;
        frame.index++;
        continue;
      }
      const part = this.#start();
      if (part === OPEN) return false;
      value[frame.index++] = part;
    }
    return true;
  }

  /** @param end tag */
  #items(frame: Frame, end: number) {
    while (frame.hasKey || !this.#ends(end, 1)) {
      const part = this.#start();
      if (part === OPEN) return false;
      accept(frame, part);
    }
    return true;
  }

  /** @param frame of an error, which exists before its cause is read, because the cause may refer to it */
  #fields(frame: Frame) {
    const error = frame.value;
    for (;;) {
      const tag = this.#tag();
      if (tag === ERROR_TAG.END) return true;
      if (tag === ERROR_TAG.MESSAGE) define(error, 'message', this.#text(this.#tag()), false);
      else if (tag === ERROR_TAG.STACK) define(error, 'stack', this.#text(this.#tag()), false);
      else if (tag !== ERROR_TAG.CAUSE) Object.setPrototypeOf(error, (ERRORS.get(tag) ?? Error).prototype);
      else {
        const cause = this.#start();
        if (cause === OPEN) return false;
        accept(frame, cause);
      }
    }
  }

  /** Reads a value, or the head of one whose parts follow. */
  #start() {
    const tag = this.#tag();
    switch (tag) {
      case TAG.LATIN1:
      case TAG.UTF16:
      case TAG.UTF8:
        return this.#text(tag);
      case TAG.INTEGER: {
        const zigzag = this.readUint32();
        return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      }
      case TAG.DOUBLE:
        return this.#double();
      case TAG.UNSIGNED:
        return this.readUint32();
      case TAG.UNDEFINED:
        return undefined;
      case TAG.NULL:
        return null;
      case TAG.TRUE:
        return true;
      case TAG.FALSE:
        return false;
      case TAG.BIGINT:
        return this.#bigint();
      case TAG.REFERENCE:
        return this.#orView(this.#objects[this.readUint32()]);
      default:
        return this.#object(tag);
    }
  }

  #object(tag: number) {
    switch (tag) {
      case TAG.OBJECT:
        return this.#open(tag, {});
      case TAG.ARRAY:
        return this.#array();
      case TAG.SPARSE_ARRAY:
        return this.#open(tag, growSparse([], this.readUint32()));
      case TAG.MAP:
        return this.#open(tag, new Map());
      case TAG.SET:
        return this.#open(tag, new Set());
      case TAG.ERROR:
        return this.#open(tag, bareError());
      case TAG.DATE:
        return this.#add(new Date(this.#double()));
      case TAG.TRUE_OBJECT:
      case TAG.FALSE_OBJECT:
        return this.#add(Object(tag === TAG.TRUE_OBJECT));
      case TAG.NUMBER_OBJECT:
        return this.#add(Object(this.#double()));
      case TAG.BIGINT_OBJECT:
        return this.#add(Object(this.#bigint()));
      case TAG.STRING_OBJECT:
        return this.#add(Object(this.#text(this.#tag())));
      case TAG.REGEXP:
        return this.#add(this.#regexp());
      case TAG.BUFFER:
        return this.#orView(this.#add(this.#buffer(this.readUint32())));
      case TAG.RESIZABLE_BUFFER:
        return this.#orView(this.#add(this.#buffer(this.readUint32(), this.readUint32())));
      default:
        throw new RangeError(`unknown tag ${JSON.stringify(String.fromCharCode(tag))}`);
    }
  }

  #array() {
    const length = this.readUint32();
    // Each element takes at least one byte.
    if (length > this.#bytes.length) throw new RangeError('an array is longer than the bytes');
    return this.#open(TAG.ARRAY, new Array(length), length);
  }

  #add<T>(object: T) {
    this.#objects.push(object);
    return object;
  }

  #open(kind: number, value: object, length: number = 0) {
    this.#objects.push(value);
    this.#frames.push(new Frame(kind, value, length));
    return OPEN;
  }

  /** An object, or the view on it that follows. */
  #orView(object: unknown) {
    return object instanceof ArrayBuffer && this.#ends(TAG.VIEW, 0) ? this.#view(object) : object;
  }

  #view(buffer: ArrayBuffer) {
    const kind = this.#byte();
    const offset = this.readUint32();
    const byteLength = this.readUint32();
    const isLengthTracking = this.readUint32() % 2 === 1;
    const View = VIEWS.get(kind) as Foreign;
    if (View === undefined) {
      if (kind !== FLOAT16) throw new RangeError('unknown view');
      return this.#add(floatsOfHalves(new DataView(buffer, offset, byteLength)));
    }
    const length = isLengthTracking ? undefined : byteLength / (View.BYTES_PER_ELEMENT ?? 1);
    return this.#add(new View(buffer, offset, length));
  }

  #buffer(byteLength: number, maxByteLength?: number) {
    const bytes = this.#take(byteLength);
    const options = maxByteLength === undefined ? undefined : { maxByteLength };
    // @ts-expect-error: the second parameter is younger than the library that is compiled against.
    const buffer = new ArrayBuffer(byteLength, options);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  }

  #regexp() {
    const pattern = this.#text(this.#tag());
    const bits = this.readUint32();
    const flags = Object.entries(FLAG_BITS).filter(([, bit]) => (bits & bit) !== 0);
    return new RegExp(pattern, flags.map(([flag]) => flag).join(''));
  }

  #bigint() {
    const head = this.readUint32();
    const bytes = this.#take(Math.floor(head / 2));
    const value = bytes.length === 8 ? bytes.readBigUInt64LE() : bigintOf(bytes);
    return head % 2 === 1 ? -value : value;
  }

  #text(tag: number) {
    const length = this.readUint32();
    if (tag === TAG.LATIN1 && length <= MAX_KEPT) return this.#shortText(length);
    const bytes = this.#take(length);
    if (tag === TAG.LATIN1) return bytes.toString('latin1');
    if (tag === TAG.UTF16) return bytes.toString('utf16le');
    if (tag === TAG.UTF8) return bytes.toString('utf8');
    throw new RangeError('a string was expected');
  }

  #shortText(length: number) {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = start + length;
    if (end > bytes.length) throw new RangeError('the bytes end too early');
    this.#at = end;
    let hash = length;
    for (let at = start; at < end; at++) hash = (hash * 31 + bytes[at]) | 0;
    const place = hash & (KEPT - 1);
    const last = kept[place];
    if (last.length === length && isSame(last, bytes, start)) return last;
    const text = (bytes as Foreign).latin1Slice(start, end);
    kept[place] = text;
    return text;
  }

  #double() {
    const bytes = this.#bytes;
    const start = this.#at;
    if (start + 8 > bytes.length) throw new RangeError('the bytes end too early');
    for (let index = 0; index < 8; index++) doubleBytes[index] = bytes[start + index];
    this.#at = start + 8;
    return double[0];
  }

  /** The next tag. Zeros before it are padding. */
  #tag() {
    let byte = this.#byte();
    while (byte === TAG.PADDING) byte = this.#byte();
    return byte;
  }

  /** Whether `tag` is next. If so, reads it and the given number of numbers after it. */
  #ends(tag: number, numbers: number) {
    let at = this.#at;
    while (this.#bytes[at] === TAG.PADDING) at++;
    if (this.#bytes[at] !== tag) return false;
    this.#at = at + 1;
    for (let i = 0; i < numbers; i++) this.readUint32();
    return true;
  }

  #byte() {
    if (this.#at >= this.#bytes.length) throw new RangeError('the bytes end too early');
    return this.#bytes[this.#at++];
  }

  #take(length: number) {
    if (length > this.#bytes.length - this.#at) throw new RangeError('the bytes end too early');
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}

/** Adds a part that has parts itself, or an item of a Map or Set. */
function accept(frame: Frame, part: unknown) {
  const { value } = frame;
  switch (frame.kind) {
    case TAG.ARRAY:
      if (frame.index < frame.length) value[frame.index++] = part;
      else put(value, frame.key, part);
      return;
    case TAG.MAP:
      if (frame.hasKey) value.set(frame.key, part);
      else frame.key = part;
      frame.hasKey = !frame.hasKey;
      return;
    case TAG.SET:
      value.add(part);
      return;
    case TAG.ERROR:
      define(value, 'cause', part, false);
      return;
    default:
      put(value, frame.key, part);
  }
}

/**
 * Defines an own property. If a prototype has a property of that name, an assignment would call a setter or fail at a
 * read-only property.
 */
function put(object: Foreign, key: PropertyKey, value: unknown) {
  if (key in object) define(object, key, value);
  else object[key] = value;
}

/** @param bytes lowest first */
function bigintOf(bytes: Buffer) {
  return BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
}

function isSame(text: string, bytes: Uint8Array, start: number) {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}

/** Classes by tag, except those that this version of JavaScript does not have. */
function invert(classes: Map<string, number>) {
  return new Map([...classes].map(([name, tag]) => [tag, (globalThis as Foreign)[name]]));
}

/** The values of a Float16Array where that class does not exist. Each has the same value in 32 bits. */
function floatsOfHalves(halves: DataView) {
  return Float32Array.from({ length: halves.byteLength / 2 }, (_, index) => {
    const bits = halves.getUint16(index * 2, true);
    const sign = bits >>> 15 === 1 ? -1 : 1;
    const exponent = (bits >>> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/**
 * Reads a serialized value, at any depth of nesting.
 *
 * @throws {Error} if V8 does not write such bytes
 */
export function readWire(wire: Uint8Array) {
  const reader = new WireReader(wire);
  reader.readHeader();
  return reader.readValue();
}
