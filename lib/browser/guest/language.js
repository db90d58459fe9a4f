// @ts-check
'use strict';

/**
 * Captures the functions of the language that codecs and pages use, before guest code runs: guests may change
 * everything that they can reach. Lists made here have no prototype, so setters and `toJSON` of guests are not called.
 * Both sides use this function: the host calls it, and the page gets its source.
 */
function captureLanguage() {
  const G = /** @type {any} */ (globalThis);
  const { Array, ArrayBuffer, BigInt, DataView, Date, Error, Function, Map, Object, Promise, RegExp, Set, String } = G;
  const { Symbol, Uint8Array, WeakMap, Reflect } = G;
  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  /** @type {(method: any) => (self: any, ...args: any[]) => any} */
  const unbound = Function.prototype.call.bind(Function.prototype.bind, Function.prototype.call);
  const own = (/** @type {any} */ object, /** @type {PropertyKey} */ key) => getOwnPropertyDescriptor(object, key);
  const getter = (/** @type {any} */ prototype, /** @type {PropertyKey} */ key) => unbound(own(prototype, key).get);
  const setter = (/** @type {any} */ prototype, /** @type {PropertyKey} */ key) => unbound(own(prototype, key).set);
  const TypedArray = getPrototypeOf(Uint8Array);
  const define = (
    /** @type {any} */ object,
    /** @type {any} */ key,
    /** @type {any} */ value,
    /** @type {any} */ enumerable,
  ) => defineProperty(object, key, { __proto__: null, value, writable: true, enumerable, configurable: true });

  /** @type {Record<string, any>} */
  const NATIVE_ERRORS = { __proto__: null, Error };
  for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
    NATIVE_ERRORS[name] = G[name];
  }
  /** Views by name; Node.js 20 has no Float16Array. @type {Record<string, any>} */
  const VIEWS = { __proto__: null, DataView, BigInt64Array: G.BigInt64Array, BigUint64Array: G.BigUint64Array };
  for (const kind of [
    'Int8',
    'Uint8',
    'Uint8Clamped',
    'Int16',
    'Uint16',
    'Int32',
    'Uint32',
    'Float32',
    'Float64',
    'Float16',
  ]) {
    if (G[`${kind}Array`] !== undefined) VIEWS[`${kind}Array`] = G[`${kind}Array`];
  }

  return {
    Array,
    BigInt,
    DataView,
    Date,
    Error,
    Map,
    NATIVE_ERRORS,
    Object,
    Promise,
    RangeError: G.RangeError,
    ReferenceError: G.ReferenceError,
    RegExp,
    Set,
    String,
    Symbol,
    TypeError: G.TypeError,
    Uint8Array,
    VIEWS,
    WeakMap,
    apply,
    arrayJoin: unbound(Array.prototype.join),
    atob: G.atob,
    bigOf: unbound(BigInt.prototype.valueOf),
    bigText: unbound(BigInt.prototype.toString),
    bind: unbound(Function.prototype.bind),
    btoa: G.btoa,
    bufferLength: getter(ArrayBuffer.prototype, 'byteLength'),
    bufferSlice: unbound(ArrayBuffer.prototype.slice),
    captureStackTrace: Error.captureStackTrace,
    charCode: unbound(String.prototype.charCodeAt),
    dateTime: unbound(Date.prototype.getTime),
    defineProperty,
    deleteProperty,
    endsWith: unbound(String.prototype.endsWith),
    freeze: Object.freeze,
    fromCodes: String.fromCharCode,
    functionText: unbound(Function.prototype.toString),
    getPrototypeOf,
    getter,
    has: Reflect.has,
    indexOf: unbound(String.prototype.indexOf),
    is: Object.is,
    isArray: Array.isArray,
    isEnumerable: unbound(Object.prototype.propertyIsEnumerable),
    isError: Error.isError,
    isExtensible: Reflect.isExtensible,
    isFinite: G.Number.isFinite,
    isInteger: G.Number.isInteger,
    mapClear: unbound(Map.prototype.clear),
    mapDelete: unbound(Map.prototype.delete),
    mapEntries: unbound(Map.prototype.entries),
    mapForEach: unbound(Map.prototype.forEach),
    mapGet: unbound(Map.prototype.get),
    mapNext: unbound(getPrototypeOf(new Map().entries()).next),
    mapSet: unbound(Map.prototype.set),
    mapSize: getter(Map.prototype, 'size'),
    min: G.Math.min,
    numberOf: unbound(G.Number.prototype.valueOf),
    objectPrototype: Object.prototype,
    own,
    ownKeys,
    parse: G.JSON.parse,
    regexpFlags: getter(RegExp.prototype, 'flags'),
    regexpSource: getter(RegExp.prototype, 'source'),
    setAdd: unbound(Set.prototype.add),
    setNext: unbound(getPrototypeOf(new Set().values()).next),
    setPrototypeOf: Reflect.setPrototypeOf,
    setSize: getter(Set.prototype, 'size'),
    setValues: unbound(Set.prototype.values),
    setter,
    slice: unbound(String.prototype.slice),
    startsWith: unbound(String.prototype.startsWith),
    stringify: G.JSON.stringify,
    subarray: unbound(TypedArray.prototype.subarray),
    symbolText: getter(Symbol.prototype, 'description'),
    textOf: unbound(String.prototype.valueOf),
    toTag: unbound(Object.prototype.toString),
    truthOf: unbound(G.Boolean.prototype.valueOf),
    typedBuffer: getter(TypedArray.prototype, 'buffer'),
    typedBytes: getter(TypedArray.prototype, 'byteLength'),
    typedLength: getter(TypedArray.prototype, 'length'),
    typedOffset: getter(TypedArray.prototype, 'byteOffset'),
    typedTag: getter(TypedArray.prototype, Symbol.toStringTag),
    unbound,
    viewBuffer: getter(DataView.prototype, 'buffer'),
    viewLength: getter(DataView.prototype, 'byteLength'),
    viewOffset: getter(DataView.prototype, 'byteOffset'),
    weakGet: unbound(WeakMap.prototype.get),
    weakSet: unbound(WeakMap.prototype.set),

    /** Defines an ordinary enumerable property, even if there is a setter. */
    put: (/** @type {any} */ object, /** @type {PropertyKey} */ key, /** @type {any} */ value) =>
      define(object, key, value, true),
    /** Defines a property that is not enumerable. */
    hide: (/** @type {any} */ object, /** @type {PropertyKey} */ key, /** @type {any} */ value) =>
      define(object, key, value, false),
    /** A list without prototype: an appended element is an own property, whatever guests have changed. */
    bare: () => {
      /** @type {any[]} */
      const items = [];
      Reflect.setPrototypeOf(items, null);
      return items;
    },
    empty: () => /** @type {any} */ ({ __proto__: null }),
    /** The result of `read`; undefined if it throws. */
    attempt: (/** @type {Function} */ read, /** @type {any} */ object) => {
      try {
        return read(object);
      } catch {
        return undefined;
      }
    },
    /** The value if it is a string, else an empty string. */
    text: (/** @type {unknown} */ value) => (typeof value === 'string' ? value : ''),
  };
}

/** @typedef {ReturnType<typeof captureLanguage>} Language */

module.exports = { captureLanguage };
