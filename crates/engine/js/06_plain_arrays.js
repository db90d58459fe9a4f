// What V8's own loops may work on. They never look at termination, so that a built-in that loops over a length of the
// guest's choice would go on for ever: `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`. V8's function is
// called for plain arrays, of which a step takes constant time and the number of steps is bounded. For everything else,
// the files after this one loop in JavaScript, where V8 looks.
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

  // The largest length of an array whose elements V8 keeps in one block. A longer one is a table, mostly of holes.
  const MAX_LENGTH = 32 * 1024 * 1024;
  // Elements that are few, however long the chain of prototypes is in which V8 looks for each that is not there.
  const FEW = 1024;
  // More arguments than this need more stack than there is.
  const MAX_ARGUMENTS = 128 * 1024;
  // Steps between two looks of a loop: compiled loops that only call built-ins look for no termination themselves.
  const LOOK = 4095;

  // Proxies that the guest has made; none until it makes one. Each step on a proxy may take as long as its depth.
  let proxies;
  const NativeProxy = Proxy;
  const newWeakSet = p.newWeakSet;
  const record = (proxy) => {
    proxies ??= newWeakSet();
    proxies.add(proxy);
    return proxy;
  };
  // Of those that the bootstrap has made guests have none.
  boot.forgetProxies = () => {
    proxies = undefined;
  };
  // Bound, since Proxy is a constructor without a prototype.
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

  // Whether this is an array of V8's whose elements take constant time each, or that has few of them, and no more than
  // V8's loops may work on. Runs no code of the guest: that of a proxy is not run before it is known to be one.
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

  // The place that `index` means, which counts from the end if it is negative.
  const placeOf = (index, length, otherwise) => {
    if (index === undefined) return otherwise;
    const place = toInteger(index);
    return place < 0 ? max(length + place, 0) : min(place, length);
  };

  const toFunction = (value) => {
    if (typeof value !== "function") throw new TypeError("The callback is not a function");
    return value;
  };

  // Called by each step of a loop. What it throws only unwinds: the run's outcome is recorded already.
  const look = (step) => {
    if ((step & LOOK) === LOOK && op_is_terminated()) throw new RangeError("The run is over");
  };

  // An empty array for the guest. Not `[]`: V8 keeps what elements the arrays of a literal came to have, and gives the next ones
  // room for such. One that held objects would make those of numbers, of all programs of the session, two to three times as slow.
  const slice = p.uncurryThis(prototype.slice);
  const EMPTY = [];
  const newArray = () => slice(EMPTY);

  // The elements of an array-like, in an array.
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

  // Replaces methods of `object` by those of the same name, or symbol, of `by`.
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
