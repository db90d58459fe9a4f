// @ts-check
'use strict';

const { define, errorFrame, growSparse, mapFrame, properties, setFrame } = require('./wire-frames');

// A reader of V8's serialization format that needs no stack for nesting. It is slower than V8's own, and is only asked
// where that one gives up: at nesting deeper than the thread's stack, and, in the V8 of older Node.js versions, at
// errors that are part of their own cause and at the class Float16Array.

/** What `#start` returns for a value whose parts follow. */
const OPEN = Symbol('open');

const VIEWS = /** @type {Record<string, any>} */ ({
  b: Int8Array,
  B: Uint8Array,
  C: Uint8ClampedArray,
  w: Int16Array,
  W: Uint16Array,
  d: Int32Array,
  D: Uint32Array,
  f: Float32Array,
  F: Float64Array,
  q: BigInt64Array,
  Q: BigUint64Array,
  '?': DataView,
  // @ts-expect-error: younger than the library that is compiled against.
  h: globalThis.Float16Array,
});
/** Bits of a regular expression's flags. */
const FLAG_BITS = { g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 };

/** @typedef {import('./wire-frames').Frame} Frame */

class WireReader {
  #bytes;
  #at = 0;
  /** Objects by their numbers, for references. */
  /** @type {unknown[]} */
  #objects = [];
  /** @type {Frame[]} */
  #frames = [];

  /** @param {Uint8Array} wire */
  constructor(wire) {
    this.#bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.byteLength);
  }

  /** @returns {any} */
  read() {
    if (this.#byte() !== 0xff) throw new RangeError('no serialized value');
    this.#number();
    let value = this.#start();
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.isComplete()) {
        this.#frames.pop();
        value = frame.value;
        this.#frames.at(-1)?.accept(value);
      } else {
        const part = this.#start();
        if (part !== OPEN) frame.accept(part);
      }
    }
    return value;
  }

  /** Reads a value, or the head of one whose parts follow. */
  #start() {
    const value = this.#head(this.#tag());
    return value instanceof ArrayBuffer && this.#ends('V') ? this.#view(value) : value;
  }

  /**
   * @param {string} tag
   * @returns {unknown}
   */
  #head(tag) {
    switch (tag) {
      case '_':
        return undefined;
      case '0':
        return null;
      case 'T':
        return true;
      case 'F':
        return false;
      case 'I': {
        const zigzag = this.#number();
        return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      }
      case 'U':
        return this.#number();
      case 'N':
        return this.#double();
      case 'Z':
        return this.#bigint();
      case '"':
      case 'c':
      case 'S':
        return this.#text(tag);
      case '^':
        return this.#objects[this.#number()];
      default:
        return this.#object(tag);
    }
  }

  /** @param {string} tag */
  #object(tag) {
    switch (tag) {
      case 'o':
        return this.#open(properties({}, () => this.#ends('{', 1)));
      case 'A':
        return this.#open(this.#dense(this.#number()));
      case 'a': {
        /** @type {unknown[]} */
        const array = growSparse([], this.#number());
        return this.#open(properties(array, () => this.#ends('@', 2)));
      }
      case ';':
        return this.#open(mapFrame(() => this.#ends(':', 1)));
      case "'":
        return this.#open(setFrame(() => this.#ends(',', 1)));
      case 'r':
        return this.#open(this.#error());
      case 'D':
        return this.#add(new Date(this.#double()));
      case 'y':
      case 'x':
        return this.#add(Object(tag === 'y'));
      case 'n':
        return this.#add(Object(this.#double()));
      case 'z':
        return this.#add(Object(this.#bigint()));
      case 's':
        return this.#add(Object(this.#text(this.#tag())));
      case 'R':
        return this.#add(this.#regexp());
      case 'B':
        return this.#add(this.#buffer(this.#number()));
      case '~':
        return this.#add(this.#buffer(this.#number(), this.#number()));
      default:
        throw new RangeError(`unknown tag ${JSON.stringify(tag)}`);
    }
  }

  /** @param {unknown} object */
  #add(object) {
    this.#objects.push(object);
    return object;
  }

  /** @param {Frame} frame */
  #open(frame) {
    this.#add(frame.value);
    this.#frames.push(frame);
    return OPEN;
  }

  /**
   * @param {number} length
   * @returns {Frame}
   */
  #dense(length) {
    // Each element takes a byte at least.
    if (length > this.#bytes.length) throw new RangeError('an array is longer than the bytes');
    const array = new Array(length);
    const rest = properties(array, () => this.#ends('$', 2));
    let index = 0;
    return {
      value: array,
      isComplete: () => {
        while (index < length && this.#ends('-')) index++;
        return index === length && rest.isComplete();
      },
      accept: (part) => {
        if (index < length) define(array, index++, part);
        else rest.accept(part);
      },
    };
  }

  #error() {
    return errorFrame((set, become) => {
      for (;;) {
        const tag = this.#tag();
        if (tag === '.') return true;
        if (tag === 'c') return false;
        if (tag === 'm') set('message', this.#text(this.#tag()));
        else if (tag === 's') set('stack', this.#text(this.#tag()));
        else become(tag);
      }
    });
  }

  /** @param {ArrayBuffer} buffer */
  #view(buffer) {
    const kind = String.fromCharCode(this.#byte());
    const offset = this.#number();
    const byteLength = this.#number();
    const isLengthTracking = this.#number() % 2 === 1;
    const View = VIEWS[kind];
    if (View === undefined) {
      if (kind !== 'h') throw new RangeError('unknown view');
      return this.#add(floatsOfHalves(new DataView(buffer, offset, byteLength)));
    }
    const length = isLengthTracking ? undefined : byteLength / (View.BYTES_PER_ELEMENT ?? 1);
    return this.#add(new View(buffer, offset, length));
  }

  /**
   * @param {number} byteLength
   * @param {number} [maxByteLength]
   */
  #buffer(byteLength, maxByteLength) {
    const bytes = this.#take(byteLength);
    const options = maxByteLength === undefined ? undefined : { maxByteLength };
    // @ts-expect-error: the second parameter is younger than the library that is compiled against.
    const buffer = new ArrayBuffer(byteLength, options);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  }

  #regexp() {
    const pattern = this.#text(this.#tag());
    const bits = this.#number();
    const flags = Object.entries(FLAG_BITS).filter(([, bit]) => (bits & bit) !== 0);
    return new RegExp(pattern, flags.map(([flag]) => flag).join(''));
  }

  #bigint() {
    const head = this.#number();
    const digits = Buffer.from(this.#take(Math.floor(head / 2))).reverse();
    const value = BigInt(`0x0${digits.toString('hex')}`);
    return head % 2 === 1 ? -value : value;
  }

  /** @param {string} tag */
  #text(tag) {
    const bytes = this.#take(this.#number());
    if (tag === '"') return bytes.toString('latin1');
    if (tag === 'c') return bytes.toString('utf16le');
    if (tag === 'S') return bytes.toString('utf8');
    throw new RangeError('a text was expected');
  }

  #double() {
    return this.#take(8).readDoubleLE();
  }

  /** Base 128, lowest digits first. */
  #number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }

  /** The next tag. Zeros before it align what follows. */
  #tag() {
    while (this.#bytes[this.#at] === 0) this.#at++;
    return String.fromCharCode(this.#byte());
  }

  /**
   * Whether `tag` is next; then it is read, and as many numbers after it.
   *
   * @param {string} tag
   * @param {number} [numbers]
   */
  #ends(tag, numbers = 0) {
    let at = this.#at;
    while (this.#bytes[at] === 0) at++;
    if (this.#bytes[at] !== tag.charCodeAt(0)) return false;
    this.#at = at + 1;
    for (let i = 0; i < numbers; i++) this.#number();
    return true;
  }

  #byte() {
    if (this.#at >= this.#bytes.length) throw new RangeError('the bytes end too early');
    return this.#bytes[this.#at++];
  }

  /** @param {number} length */
  #take(length) {
    if (length > this.#bytes.length - this.#at) throw new RangeError('the bytes end too early');
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}

/**
 * The values of a Float16Array, where there is no such class: each of them has the same value in 32 bits.
 *
 * @param {DataView} halves
 */
function floatsOfHalves(halves) {
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
 * The value of `wire`, at any depth of nesting.
 *
 * @param {Uint8Array} wire
 * @throws {Error} if the bytes are not what V8 writes
 */
function readWire(wire) {
  return new WireReader(wire).read();
}

module.exports = { readWire };
