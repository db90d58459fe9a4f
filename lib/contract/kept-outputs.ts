import { types } from 'node:util';

import { partsOf, sizeOf } from './parts';

/** Bytes of one kept value, and of all of a session. */
const MAX_BYTES = 8 << 20;
const MAX_ALL_BYTES = 16 << 20;
/** Memory that a value takes in addition to its text or bytes. */
const BYTES_PER_PART = 32;

/** Outputs and logs of one session that were too long for the model. Later code reads them. */
export class KeptOutputs {
  /** By their references, the oldest first. */
  #kept: Map<string, { value: unknown; bytes: number }> = new Map();
  #bytes = 0;
  #last = 0;

  /** @returns the reference; undefined for a value that is too large to keep */
  keep(value: unknown): string | undefined {
    const bytes = bytesOf(value);
    if (bytes === undefined) return undefined;
    this.#bytes += bytes;
    for (const [ref, oldest] of this.#kept) {
      if (this.#bytes <= MAX_ALL_BYTES) break;
      this.#kept.delete(ref);
      this.#bytes -= oldest.bytes;
    }
    const ref = `o${++this.#last}`;
    this.#kept.set(ref, { value, bytes });
    return ref;
  }

  /** @throws {RangeError} for a value that is not kept (any more) */
  get(ref: unknown): unknown {
    const kept = this.#kept.get(String(ref));
    if (kept !== undefined) return kept.value;
    const refs = [...this.#kept.keys()].join(', ');
    throw new RangeError(`this output is not kept${refs === '' ? '' : `; the kept ones are ${refs}`}`);
  }

  clear() {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/** The memory of a value, roughly; undefined if it is more than may be kept. */
function bytesOf(root: unknown): number | undefined {
  let bytes = 0;
  const known = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    bytes += BYTES_PER_PART;
    if (typeof value === 'string') bytes += 2 * value.length;
    else if (typeof value === 'object' && value !== null && !known.has(value)) {
      known.add(value);
      if (types.isProxy(value)) return undefined;
      if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) bytes += value.byteLength;
      else {
        const room = (MAX_BYTES - bytes) / BYTES_PER_PART - open.length;
        if (sizeOf(value) > room) return undefined;
        for (const part of partsOf(value)) open.push(part);
      }
    }
    if (bytes > MAX_BYTES) return undefined;
  }
  return bytes;
}
