import v8 = require('node:v8');

import { SLICE_TAG } from '../contract/boundary-numbers';
import { performance } from '../contract/clock';
import { hasV8Format } from './v8-format';
import { errorFrame, growSparse, mapFrame, properties, setFrame } from './wire-frames';
import { WireReader } from './wire-reader';
import type { Foreign } from '../contract/foreign';
import type { Frame } from './wire-frames';

// Reads what `in_slices` of the native side wrote: a large value as an empty value followed by its parts, so that
// reading can stop between any two of them. V8 reads the parts where `node:v8` supports its format; this file only puts
// them together.

const Reader = hasV8Format ? v8.Deserializer : WireReader;

const { SLICES, END, BATCH, OPEN_SPARSE } = SLICE_TAG;

/** Entries and properties after which the clock is read. The guest chooses the keys, and may choose slow ones. */
const ENTRIES_PER_LOOK = 16;
/** The time that all slices of a value may take together: much more than V8 needs, and linear in the value's memory. */
const BASE_MS = 250;
const MS_PER_KIB = 0.1;

/** Reading took far longer than it does for other values of this size. */
export class SlowValueError extends RangeError {}

export class SliceReader {
  #reader;
  #msLeft;
  #frames: Frame[] = [];
  /** The parts of a batch, and the number of those already taken. */
  #batch: unknown[] = [];
  #taken = 0;
  value: Foreign;

  constructor(bytes: Uint8Array) {
    this.#reader = new Reader(bytes.subarray(1));
    this.#reader.readHeader();
    this.#msLeft = BASE_MS + this.#reader.readUint32() * MS_PER_KIB;
  }

  /**
   * Reads until `deadline`, by `performance.now()`.
   *
   * @returns whether everything is read
   * @throws {Error} if these are not the native side's bytes, or reading has taken too long
   */
  read(deadline: number): boolean {
    const start = performance.now();
    const end = Math.min(deadline, start + this.#msLeft);
    do {
      if (this.#taken < this.#batch.length) this.#takeParts(end);
      else if (this.#readNext()) return true;
    } while (performance.now() < end);
    this.#msLeft -= performance.now() - start;
    if (this.#msLeft <= 0) throw new SlowValueError('the value takes too long to read');
    return false;
  }

  /** @returns whether the value is complete */
  #readNext(): boolean {
    const frame = this.#frames.at(-1);
    const next = frame === undefined ? undefined : this.#reader.readUint32();
    if (frame !== undefined && next === END) {
      this.#frames.pop();
      const of = this.#frames.at(-1);
      if (of === undefined) this.value = frame.value;
      else of.accept(frame.value);
      return of === undefined;
    }
    if (next === BATCH) {
      this.#batch = this.#reader.readValue();
      this.#taken = 0;
      return false;
    }
    const opening = next ?? this.#reader.readUint32();
    const length = opening === OPEN_SPARSE ? this.#reader.readUint32() : undefined;
    this.#frames.push(frameOf(this.#reader.readValue(), length));
    return false;
  }

  #takeParts(end: number) {
    const frame = this.#frames.at(-1) as Frame;
    const batch = this.#batch;
    if (frame.acceptAll !== undefined) {
      this.#taken = frame.acceptAll(batch, this.#taken);
      if (this.#taken === batch.length) return;
    }
    while (this.#taken < batch.length) {
      frame.accept(batch[this.#taken++]);
      if (this.#taken % ENTRIES_PER_LOOK === 0 && performance.now() >= end) return;
    }
  }
}

/**
 * Returns the frame that takes the parts of a value.
 *
 * @param value without its parts
 * @param sparseLength of a sparse array
 */
function frameOf(value: Foreign, sparseLength: number | undefined): Frame {
  if (sparseLength !== undefined) return properties(growSparse(value, sparseLength), never);
  if (Array.isArray(value)) return elements(value);
  if (value instanceof Map) return mapFrame(never, value);
  if (value instanceof Set) return setFrame(never, value);
  if (value instanceof Error) return errorFrame(never, value);
  return properties(value, never);
}

/** The bytes mark the end of a value's parts. */
const never = () => false;

/** The elements of an array of known length, then other properties. */
function elements(array: unknown[]): Frame {
  const { length } = array;
  const rest = properties(array, never);
  let index = 0;
  return {
    value: array,
    isComplete: never,
    accept: (part) => {
      if (index < length) array[index++] = part;
      else rest.accept(part);
    },
    acceptAll: (batch, from) => {
      const end = Math.min(batch.length, from + length - index);
      for (let at = from; at < end; at++, index++) {
        const part = batch[at];
        // A missing element stays missing.
        if (part !== undefined || Object.hasOwn(batch, at)) array[index] = part;
      }
      return end;
    },
  };
}

export function isInSlices(bytes: Uint8Array) {
  return bytes[0] === SLICES;
}
