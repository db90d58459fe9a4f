// V8 adds its newest built-ins after the bootstrap has run, or when a context is created from the snapshot. It aborts
// if an object that they extend is frozen. Those objects (`late`, derived by build.rs) must stay extensible until then,
// and 12_lockdown.js still has corrections to make. SES captures `Object.freeze` when it loads. This replacement leaves
// all freezing to 90_seal.js, which walks the same realm.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;

  boot.late = boot.resolveLateBuiltIns();

  // Records the last own name and the last own symbol of an object. Keys are in the order in which they were added,
  // symbols after names, so later keys are new. This takes less time than looking each key up.
  const { arrayPush, ownKeys, TypeError } = boot.p;
  boot.recordKeys = (object) => {
    const keys = ownKeys(object);
    let names = 0;
    while (names < keys.length && typeof keys[names] === "string") names++;
    const symbols = keys.length - names;
    return { __proto__: null, object, names, lastName: keys[names - 1], symbols, lastSymbol: keys[keys.length - 1] };
  };
  // Keys that were added since the record. Throws if one was removed.
  boot.lateKeys = ({ object, names, lastName, symbols, lastSymbol }) => {
    const keys = ownKeys(object);
    const late = [];
    let at = names;
    let isComplete = names === 0 || keys[at - 1] === lastName;
    while (at < keys.length && typeof keys[at] === "string") arrayPush(late, keys[at++]);
    at += symbols;
    isComplete &&= symbols === 0 || keys[at - 1] === lastSymbol;
    if (!isComplete) throw new TypeError("a built-in has lost a property");
    while (at < keys.length) arrayPush(late, keys[at++]);
    return late;
  };

  boot.feral = {
    __proto__: null,
    Error,
    RegExp,
    Symbol,
    toString: Function.prototype.toString,
  };

  Object.freeze = { freeze: (object) => object }.freeze;

  // The constructor's properties for the last match. They are deleted here, because the shim reports each property that
  // it does not know.
  for (const key of ownKeys(RegExp)) {
    const { get, configurable } = boot.p.getDescriptor(RegExp, key);
    if (get !== undefined && configurable && key !== Symbol.species) delete RegExp[key];
  }

  // Override taming would make these properties accessors. For V8 that is a sign that arrays no longer iterate, and
  // promises no longer resolve, as built. for-of, spread and await would permanently leave their fast paths (8 times
  // slower). The properties stay as they are. The cost: code cannot assign to these names on an array, an iterator or a
  // promise.
  const arrayIterator = Object.getPrototypeOf([].values());
  const isUnchanged = (object, key) =>
    key === Symbol.iterator
      ? object === Array.prototype || object === Object.getPrototypeOf(arrayIterator)
      : key === "constructor" && (object === Promise.prototype || object === RegExp.prototype);
  Object.defineProperty = {
    defineProperty: (object, key, descriptor) =>
      isUnchanged(object, key) ? object : boot.p.defineProperty(object, key, descriptor),
  }.defineProperty;

  // V8 backs resizable array buffers with pages that the embedder's allocators do not count. Guests get none of them.
  const NativeArrayBuffer = ArrayBuffer;
  const { construct } = Reflect;
  const replacement = function ArrayBuffer(length, options) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    if (typeof options === "object" && options !== null && options.maxByteLength !== undefined) {
      throw new RangeError("Resizable array buffers are not available here");
    }
    return construct(NativeArrayBuffer, [length], new.target);
  };
  for (const key of Reflect.ownKeys(NativeArrayBuffer)) {
    Object.defineProperty(replacement, key, Object.getOwnPropertyDescriptor(NativeArrayBuffer, key));
  }
  boot.p.defineProperty(replacement, "length", { __proto__: null, value: 1, configurable: true });
  boot.p.defineProperty(ArrayBuffer.prototype, "constructor", {
    __proto__: null,
    value: replacement,
    writable: true,
    configurable: true,
  });
  globalThis.ArrayBuffer = replacement;
})();
