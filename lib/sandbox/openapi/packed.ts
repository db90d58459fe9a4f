import { deserialize, serialize } from 'node:v8';

import { offsetsOf } from '../../catalog/part-offsets';

// A list that goes from one thread to another. The receiver decodes one item after the other, so that it can pause in
// between. A message is decoded in one step, which takes seconds for a large document.

/** `at`: the start of each item, and the end of the last one */
export interface Packed<T> {
  bytes: Uint8Array<ArrayBuffer>;
  at: Uint32Array<ArrayBuffer>;
  /** never set */
  type?: T;
}

export function packed<T>(items: T[]): Packed<T> {
  const parts = items.map((item) => serialize(item));
  const at = offsetsOf(parts, 0);
  const bytes = new Uint8Array(at[parts.length]);
  for (const [number, part] of parts.entries()) bytes.set(part, at[number]);
  return { bytes, at };
}

export function* unpacked<T>({ bytes, at }: Packed<T>): Generator<T, void, void> {
  for (let number = 0; number + 1 < at.length; number++) yield deserialize(bytes.subarray(at[number], at[number + 1]));
}
