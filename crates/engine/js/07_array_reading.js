// Array methods that read. Plain arrays use V8's own (06_plain_arrays.js); all others follow ECMA-262.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { arrayBufferDetached, arrayIncludes, arrayPop, arrayPush, getPrototypeOf, min, TypeError } = boot.p;
  const { typedArrayBuffer, typedArrayLength, typedArrayTag, uncurryThis } = boot.p;
  const { isPlain, toObject, toInteger, lengthOf, placeOf, toFunction, look, replace } = boot.loops;
  const { prototype } = Array;
  const call = uncurryThis(Function.prototype.call);
  const native = { __proto__: null };
  const names = ["every", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes", "indexOf", "join"];
  for (const name of [...names, "lastIndexOf", "reduce", "reduceRight", "some"]) {
    native[name] = uncurryThis(prototype[name]);
  }
  const {
    every,
    find,
    findIndex,
    findLast,
    findLastIndex,
    forEach,
    includes,
    indexOf,
    join,
    lastIndexOf,
    reduce,
    reduceRight,
    some,
  } = native;

  // The first or last position whose element `matches`; -1 if there is none.
  const search = (object, matches, thisArg) => {
    const length = lengthOf(object);
    toFunction(matches);
    for (let i = 0; i < length; i++) {
      look(i);
      const value = object[i];
      if (call(matches, thisArg, value, i, object)) return { index: i, value };
    }
    return { index: -1, value: undefined };
  };
  const searchBackwards = (object, matches, thisArg) => {
    const length = lengthOf(object);
    toFunction(matches);
    for (let i = length - 1; i >= 0; i--) {
      look(i);
      const value = object[i];
      if (call(matches, thisArg, value, i, object)) return { index: i, value };
    }
    return { index: -1, value: undefined };
  };

  // Whether some present element has the result `wanted` for `matches`.
  const has = (object, matches, thisArg, wanted) => {
    const length = lengthOf(object);
    toFunction(matches);
    for (let i = 0; i < length; i++) {
      look(i);
      if (i in object && !call(matches, thisArg, object[i], i, object) !== wanted) return true;
    }
    return false;
  };

  const fold = (object, callback, initial, first, end, step) => {
    toFunction(callback);
    let at = first;
    let result = initial[0];
    if (initial.length === 0) {
      while (at !== end && !(at in object)) {
        look(at);
        at += step;
      }
      if (at === end) throw new TypeError("Reduce of empty array with no initial value");
      result = object[at];
      at += step;
    }
    for (; at !== end; at += step) {
      look(at);
      if (at in object) result = callback(result, object[at], at, object);
    }
    return result;
  };

  // Array-likes whose elements are being joined. One that occurs again inside itself becomes an empty string. A
  // terminated run leaves its entries here.
  const joining = [];
  boot.joining = joining;
  const joinTexts = (object, length, between, textOf) => {
    if (arrayIncludes(joining, object)) return "";
    arrayPush(joining, object);
    try {
      let text = "";
      for (let i = 0; i < length; i++) {
        look(i);
        if (i > 0) text += between;
        const value = object[i];
        if (value !== undefined && value !== null) text += `${textOf(value)}`;
      }
      return text;
    } finally {
      arrayPop(joining);
    }
  };
  const joinAll = (object, separator) => {
    const length = lengthOf(object);
    const between = separator === undefined ? "," : `${separator}`;
    return joinTexts(object, length, between, (value) => value);
  };
  // Used for plain arrays too: V8 would not check for termination while Intl formats millions of numbers.
  const joinLocally = (object, length, locales, options) =>
    joinTexts(object, length, ",", (value) => call(value.toLocaleString, value, locales, options));

  replace(prototype, {
    every(callback, thisArg = undefined) {
      if (isPlain(this)) return every(this, callback, thisArg);
      return !has(toObject(this), callback, thisArg, false);
    },
    some(callback, thisArg = undefined) {
      if (isPlain(this)) return some(this, callback, thisArg);
      return has(toObject(this), callback, thisArg, true);
    },
    find(callback, thisArg = undefined) {
      return isPlain(this) ? find(this, callback, thisArg) : search(toObject(this), callback, thisArg).value;
    },
    findIndex(callback, thisArg = undefined) {
      return isPlain(this) ? findIndex(this, callback, thisArg) : search(toObject(this), callback, thisArg).index;
    },
    findLast(callback, thisArg = undefined) {
      if (isPlain(this)) return findLast(this, callback, thisArg);
      return searchBackwards(toObject(this), callback, thisArg).value;
    },
    findLastIndex(callback, thisArg = undefined) {
      if (isPlain(this)) return findLastIndex(this, callback, thisArg);
      return searchBackwards(toObject(this), callback, thisArg).index;
    },
    forEach(callback, thisArg = undefined) {
      if (isPlain(this)) return forEach(this, callback, thisArg);
      const object = toObject(this);
      const length = lengthOf(object);
      toFunction(callback);
      for (let i = 0; i < length; i++) {
        look(i);
        if (i in object) call(callback, thisArg, object[i], i, object);
      }
      return undefined;
    },
    includes(target, from = undefined) {
      if (isPlain(this)) return includes(this, target, from);
      const object = toObject(this);
      const length = lengthOf(object);
      for (let i = placeOf(from, length, 0); i < length; i++) {
        look(i);
        const value = object[i];
        if (value === target || (value !== value && target !== target)) return true;
      }
      return false;
    },
    indexOf(target, from = undefined) {
      if (isPlain(this)) return indexOf(this, target, from);
      const object = toObject(this);
      const length = lengthOf(object);
      for (let i = placeOf(from, length, 0); i < length; i++) {
        look(i);
        if (i in object && object[i] === target) return i;
      }
      return -1;
    },
    lastIndexOf(target, ...from) {
      if (isPlain(this)) return from.length === 0 ? lastIndexOf(this, target) : lastIndexOf(this, target, from[0]);
      const object = toObject(this);
      const length = lengthOf(object);
      let last = length - 1;
      if (length > 0 && from.length > 0) {
        const place = toInteger(from[0]);
        last = place < 0 ? length + place : min(place, last);
      }
      for (let i = last; i >= 0; i--) {
        look(i);
        if (i in object && object[i] === target) return i;
      }
      return -1;
    },
    join(separator) {
      return isPlain(this) ? join(this, separator) : joinAll(toObject(this), separator);
    },
    toLocaleString(locales = undefined, options = undefined) {
      const object = toObject(this);
      return joinLocally(object, lengthOf(object), locales, options);
    },
    reduce(callback, ...initial) {
      if (isPlain(this)) {
        return initial.length === 0 ? reduce(this, callback) : reduce(this, callback, initial[0]);
      }
      const object = toObject(this);
      return fold(object, callback, initial, 0, lengthOf(object), 1);
    },
    reduceRight(callback, ...initial) {
      if (isPlain(this)) {
        return initial.length === 0 ? reduceRight(this, callback) : reduceRight(this, callback, initial[0]);
      }
      const object = toObject(this);
      return fold(object, callback, initial, lengthOf(object) - 1, -1, -1);
    },
  });

  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  replace(typedArrayPrototype, {
    toLocaleString(locales = undefined, options = undefined) {
      if (typedArrayTag(this) === undefined) throw new TypeError("this is not a typed array.");
      if (arrayBufferDetached(typedArrayBuffer(this))) {
        throw new TypeError("Cannot perform %TypedArray%.prototype.toLocaleString on a detached ArrayBuffer");
      }
      return joinLocally(this, typedArrayLength(this), locales, options);
    },
  });
})();
