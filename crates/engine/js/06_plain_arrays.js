// Decides which arrays V8's own loops may work on. These loops never check for termination. A built-in that loops over
// a length of the guest's choice would run forever: `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`.
//
// V8's function is called for plain arrays: a step takes constant time, and the number of steps is bounded. For
// everything else, the files after this one loop in JavaScript, where V8 checks for termination.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, ops } = boot;
  const { bind } = Function.prototype;
  const { construct, defineProperty, getDescriptor, getPrototypeOf, isArray, ownKeys } = p;
  const { max, min, RangeError, TypeError } = p;
  const { op_is_terminated } = ops;
  const { trunc } = Math;
  const { prototype } = Array;
  const { Object } = globalThis;

  // The largest length of an array whose elements V8 keeps in one block. The elements of a longer one are a hash table,
  // mostly of holes.
  const MAX_LENGTH = 32 * 1024 * 1024;
  // So few elements that a loop ends soon, however long the prototype chain is in which V8 looks up missing elements.
  const FEW = 1024;
  // More arguments than this need more stack than there is.
  const MAX_ARGUMENTS = 128 * 1024;
  // Steps between two checks of a loop. Compiled loops that only call built-ins do not check for termination
  // themselves.
  const LOOK = 4095;

  // Proxies that the guest has made; undefined until it makes one. Each step on a proxy may take time proportional to
  // its depth.
  let proxies;
  const NativeProxy = Proxy;
  const newWeakSet = p.newWeakSet;
  const record = (proxy) => {
    proxies ??= newWeakSet();
    proxies.add(proxy);
    return proxy;
  };
  // Guests have no access to proxies that the bootstrap has made.
  boot.forgetProxies = () => {
    proxies = undefined;
  };
  // Bound, because Proxy is a constructor without a prototype.
  const proxyOf = function (target, handler) {
    if (new.target === undefined) throw new TypeError("Constructor Proxy requires 'new'");
    return record(construct(NativeProxy, [target, handler], new.target));
  };
  const Recorded = p.apply(bind, proxyOf, [undefined]);
  const { revocable } = Proxy;
  const methods = {
    revocable(target, handler) {
      const made = revocable(target, handler);
      record(made.proxy);
      return made;
    },
  };
  for (const key of ownKeys(NativeProxy)) defineProperty(Recorded, key, getDescriptor(NativeProxy, key));
  defineProperty(Recorded, "revocable", { __proto__: null, value: methods.revocable });
  globalThis.Proxy = Recorded;

  // Whether V8's loops may work on `value`. It must be an array of V8's whose elements take constant time each, or that
  // has few elements. Runs no guest code: `value` is checked for being a proxy before any trap could run.
  const isPlain = (value) => {
    if (!isArray(value) || (proxies !== undefined && proxies.has(value))) return false;
    const { length } = value;
    return length <= FEW || (length <= MAX_LENGTH && getPrototypeOf(value) === prototype);
  };

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const toObject = (value) => {
    if (value === undefined || value === null) {
      throw new TypeError("Cannot convert undefined or null to object");
    }
    return Object(value);
  };

  const toInteger = (value) => trunc(+value) || 0;

  const toLength = (value) => min(max(toInteger(value), 0), 2 ** 53 - 1);

  const lengthOf = (object) => toLength(object.length);

  // The position that `index` means. A negative index counts from the end.
  const placeOf = (index, length, otherwise) => {
    if (index === undefined) return otherwise;
    const place = toInteger(index);
    return place < 0 ? max(length + place, 0) : min(place, length);
  };

  const toFunction = (value) => {
    if (typeof value !== "function") throw new TypeError("The callback is not a function");
    return value;
  };

  // Called by each step of a loop. The exception only unwinds: the run's outcome is already recorded.
  const look = (step) => {
    if ((step & LOOK) === LOOK && op_is_terminated()) throw new RangeError("The run is over");
  };

  // An empty array for the guest. It is not `[]`: V8 records the element kinds of arrays made by a literal and uses
  // them for later arrays of that literal. One array of objects would make later arrays of numbers two to three times
  // as slow, for all programs of the session.
  const slice = p.uncurryThis(prototype.slice);
  const EMPTY = [];
  const newArray = () => slice(EMPTY);

  // The elements of an array-like as an array.
  const listOf = (object, length = lengthOf(object)) => {
    const list = newArray();
    for (let i = 0; i < length; i++) {
      look(i);
      p.arrayPush(list, object[i]);
    }
    return list;
  };

  // The arguments that an array-like stands for.
  const argumentsOf = (value) => {
    if (isPlain(value) && value.length <= MAX_ARGUMENTS) return value;
    if (!isObject(value)) throw new TypeError("CreateListFromArrayLike called on non-object");
    const length = lengthOf(value);
    if (length > MAX_ARGUMENTS) {
      throw new RangeError(`${length} arguments are too many: pass at most ${MAX_ARGUMENTS}, or an array of them`);
    }
    return listOf(value, length);
  };

  // Replaces the methods of `object` with the methods of `by` that have the same name or symbol.
  const replace = (object, by) => {
    for (const key of ownKeys(by)) defineProperty(object, key, { __proto__: null, value: by[key] });
  };

  boot.loops = {
    isPlain,
    isObject,
    toObject,
    toInteger,
    toLength,
    lengthOf,
    placeOf,
    toFunction,
    look,
    newArray,
    listOf,
    argumentsOf,
    replace,
  };
})();
