import { types } from 'node:util';

/** The realm's own classes of typed arrays; Float16Array is younger than Node.js 20. */
const VIEWS = new Map(
  ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float16', 'Float32', 'Float64', 'BigInt64']
    .concat('BigUint64')
    .map((kind) => [`${kind}Array`, (globalThis as any)[`${kind}Array`]]),
);
const typedArrayGetter = (key: PropertyKey) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), key)?.get as (this: object) => any;
// Getters of the prototype: an array may have own properties of these names.
const typedArrayTag = typedArrayGetter(Symbol.toStringTag);
const byteLengthGetter = typedArrayGetter('byteLength');
const bufferGetter = typedArrayGetter('buffer');

/** The name of a view's class, whatever its `constructor` says; undefined for a DataView. */
export function viewTag(view: ArrayBufferView): string | undefined {
  return typedArrayTag.call(view);
}

/** @param array of a typed kind */
export function byteLengthOf(array: object): number {
  return byteLengthGetter.call(array);
}

/** @param array of a typed kind */
export function bufferOf(array: object): ArrayBufferLike {
  return bufferGetter.call(array);
}

/**
 * A view with the same elements on a buffer that holds nothing else: on the same one where the view covers it, so
 * that views which share a buffer go on doing so, else on a copy.
 */
export function ownView(view: ArrayBufferView) {
  const { buffer, byteOffset, byteLength } = view;
  if (types.isSharedArrayBuffer(buffer)) throw new TypeError('a SharedArrayBuffer could not be cloned');
  // Not by the view's `constructor`, which its class decides; Buffer is one.
  const View = VIEWS.get(viewTag(view) ?? '') ?? DataView;
  // @ts-expect-error: `resizable` is younger than the library that is compiled against.
  const isWhole = byteLength === buffer.byteLength && !buffer.resizable && !Buffer.isBuffer(view);
  return new View(isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength));
}

/**
 * An array that lacks more elements is gone through by its keys: on the wire each missing one takes a byte, and there may be 2^32.
 */
export const MAX_HOLES = 4_096;

const { values } = Array.prototype;

/**
 * The elements of an array, holes as undefined. Not by index: V8 compiles that so that it changes how arrays are stored which it
 * only reads, to a way that it then writes as sparse.
 */
export function elementsOf(array: unknown[]): Iterable<unknown> {
  return values.call(array);
}
