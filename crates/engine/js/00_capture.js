// Captures the functions that the rest of the bootstrap uses, before anything can change them. Static functions keep
// their names; methods become functions of their receiver. `__smol_boot` carries them from file to file. 90_seal.js
// deletes it.
"use strict";
(() => {
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const { defineProperties, defineProperty, getOwnPropertyDescriptor } = Object;
  const getter = (object, key) => uncurryThis(getOwnPropertyDescriptor(object, key).get);
  const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);

  const p = {
    __proto__: null,
    uncurryThis,
    apply: Reflect.apply,
    construct: Reflect.construct,
    ownKeys: Reflect.ownKeys,
    reflectDefine: Reflect.defineProperty,
    reflectDelete: Reflect.deleteProperty,
    reflectHas: Reflect.has,
    setPrototypeOf: Object.setPrototypeOf,
    defineProperty,
    create: Object.create,
    entries: Object.entries,
    freeze: Object.freeze,
    getDescriptor: getOwnPropertyDescriptor,
    getPrototypeOf: Object.getPrototypeOf,
    hasOwn: Object.hasOwn,
    isExtensible: Object.isExtensible,
    keys: Object.keys,
    preventExtensions: Object.preventExtensions,
    values: Object.values,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    arrayIncludes: uncurryThis(Array.prototype.includes),
    arrayJoin: uncurryThis(Array.prototype.join),
    arrayPop: uncurryThis(Array.prototype.pop),
    arrayPush: uncurryThis(Array.prototype.push),
    arrayUnshift: uncurryThis(Array.prototype.unshift),
    captureStackTrace: Error.captureStackTrace,
    dateNow: Date.now,
    floor: Math.floor,
    ceil: Math.ceil,
    max: Math.max,
    min: Math.min,
    isSafeInteger: Number.isSafeInteger,
    mapForEach: uncurryThis(Map.prototype.forEach),
    mapSet: uncurryThis(Map.prototype.set),
    jsonStringify: JSON.stringify,
    numberToFixed: uncurryThis(Number.prototype.toFixed),
    promiseThen: uncurryThis(Promise.prototype.then),
    regExpTest: uncurryThis(RegExp.prototype.test),
    setAdd: uncurryThis(Set.prototype.add),
    setForEach: uncurryThis(Set.prototype.forEach),
    stringIncludes: uncurryThis(String.prototype.includes),
    stringIndexOf: uncurryThis(String.prototype.indexOf),
    stringPadStart: uncurryThis(String.prototype.padStart),
    stringRepeat: uncurryThis(String.prototype.repeat),
    stringReplaceAll: uncurryThis(String.prototype.replaceAll),
    stringSlice: uncurryThis(String.prototype.slice),
    stringSplit: uncurryThis(String.prototype.split),
    typedArrayLength: getter(typedArrayPrototype, "length"),
    typedArrayTag: getter(typedArrayPrototype, Symbol.toStringTag),
    typedArrayBuffer: getter(typedArrayPrototype, "buffer"),
    dataViewBuffer: getter(DataView.prototype, "buffer"),
    arrayBufferDetached: getter(ArrayBuffer.prototype, "detached"),
    Map,
    Set,
    WeakSet,
    String,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    AggregateError,
    Error,
  };

  // A Map with own methods, so that a read never leaves the object.
  const own = (Class, names) => {
    const methods = { __proto__: null };
    for (const name of names) {
      methods[name] = { __proto__: null, value: Class.prototype[name] };
    }
    const size = getOwnPropertyDescriptor(Class.prototype, "size");
    if (size) methods.size = { __proto__: null, get: size.get };
    return (...initial) => defineProperties(new Class(...initial), methods);
  };
  p.newMap = own(Map, ["get", "set", "has", "delete", "clear"]);
  p.newSet = own(Set, ["add", "has", "delete", "clear"]);
  p.newWeakMap = own(WeakMap, ["get", "set"]);
  p.newWeakSet = own(WeakSet, ["add", "has"]);
  // Every run empties its maps. `clear` makes V8 allocate a new table each time, even if the map is already empty.
  p.emptyMap = (map) => {
    if (map.size > 0) map.clear();
  };

  defineProperty(globalThis, "__smol_boot", {
    __proto__: null,
    value: { __proto__: null, p, ops: globalThis.__smol_natives },
    configurable: true,
  });
  delete globalThis.__smol_natives;
})();
