import { types } from 'node:util';
import type { Foreign } from '../contract/foreign';

/** The realm's own classes of typed arrays. Node.js 20 does not have Float16Array yet. */
const VIEWS = new Map(
  ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float16', 'Float32', 'Float64', 'BigInt64']
    .concat('BigUint64')
    .map((kind) => [`${kind}Array`, (globalThis as Foreign)[`${kind}Array`]]),
);
const typedArrayGetter = (key: PropertyKey) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), key)?.get as (this: object) => Foreign;
// Getters of the prototype, because an array may have own properties with these names.
const typedArrayTag = typedArrayGetter(Symbol.toStringTag);
const byteLengthGetter = typedArrayGetter('byteLength');
const bufferGetter = typedArrayGetter('buffer');

/** The name of a view's class, whatever its `constructor` is; undefined for a DataView. */
export function viewTag(view: ArrayBufferView): string | undefined {
  return typedArrayTag.call(view);
}

/** @param array a typed array */
export function byteLengthOf(array: object): number {
  return byteLengthGetter.call(array);
}

/** @param array a typed array */
export function bufferOf(array: object): ArrayBufferLike {
  return bufferGetter.call(array);
}

/**
 * A view with the same elements on a buffer that holds nothing else. If the view covers its buffer, this is the same
 * buffer, so views that share a buffer still do. Otherwise it is a copy.
 */
export function ownView(view: ArrayBufferView) {
  const { buffer, byteOffset, byteLength } = view;
  if (types.isSharedArrayBuffer(buffer)) throw new TypeError('a SharedArrayBuffer could not be cloned');
  // Not by the view's `constructor`, which its class decides: `Buffer` is such a class.
  const View = VIEWS.get(viewTag(view) ?? '') ?? DataView;
  // @ts-expect-error: `resizable` is younger than the library that is compiled against.
  const isWhole = byteLength === buffer.byteLength && !buffer.resizable && !Buffer.isBuffer(view);
  return new View(isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength));
}

/**
 * An array with more missing elements is read by its keys. In serialized form, each missing element takes a byte, and
 * there may be 2^32 of them.
 */
export const MAX_HOLES = 4_096;

const { values } = Array.prototype;

/**
 * The elements of an array; holes are undefined. Does not use indices: V8 would compile such a loop in a way that
 * changes the storage of the array, and would then write the array as sparse.
 */
export function elementsOf(array: unknown[]): Iterable<unknown> {
  return values.call(array);
}
