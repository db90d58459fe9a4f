// What there is where guest code has named something that is not there: for hints (crates/hints).
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p } = boot;
  const { arrayPush, getDescriptor, getPrototypeOf, newSet, ownKeys, stringSlice } = p;
  const { op_get_non_index_property_names, op_is_proxy } = boot.ops;

  const MAX_NAMES = 4_000;
  const MAX_LENGTH = 64;
  const MAX_PROTOTYPES = 16;

  const isName = (key) => typeof key === "string" && key.length <= MAX_LENGTH && stringSlice(key, 0, 2) !== "__";

  const ALL_PROPERTIES = 0;

  // Names of `object` and what it inherits. A large array has as many indices, which would all become texts; of a proxy its
  // handler would say what it likes.
  const namesOf = (object) => {
    const names = newSet();
    for (let at = object, depth = 0; at !== null && depth < MAX_PROTOTYPES && !op_is_proxy(at); depth++) {
      const keys = op_get_non_index_property_names(at, ALL_PROPERTIES);
      for (let i = 0; i < keys.length && names.size < MAX_NAMES; i++) {
        if (isName(keys[i])) names.add(keys[i]);
      }
      at = getPrototypeOf(at);
    }
    return names;
  };

  // Names of the language's on the global, and of more that is taken away later.
  const builtIns = namesOf(globalThis);
  for (let i = 0; i < boot.endowments.length; i++) builtIns.add(boot.endowments[i]);

  // Those of names that are the language's, or are not.
  const only = (names, isBuiltIn) => {
    const some = newSet();
    p.setForEach(names, (name) => {
      if (builtIns.has(name) === isBuiltIn) some.add(name);
    });
    return some;
  };

  // Names on the global that are not the language's, and those of functions in objects there that the host has made: namespaces
  // of tools.
  const globalNames = (all) => {
    const names = only(all, false);
    const keys = ownKeys(globalThis);
    for (let i = 0; i < keys.length; i++) {
      const namespace = boot.toolAt(keys[i]);
      if (typeof namespace !== "object" || namespace === null || op_is_proxy(namespace)) continue;
      const inner = ownKeys(namespace);
      for (let k = 0; k < inner.length && names.size < MAX_NAMES; k++) {
        if (isName(inner[k])) names.add(`${keys[i]}.${inner[k]}`);
      }
    }
    return names;
  };

  const usual = [Array, String, Map, Set, Promise, Number, Date, RegExp, Object].map((Class) => Class.prototype);

  const usualNames = () => {
    const names = newSet();
    for (let i = 0; i < usual.length; i++) p.setForEach(namesOf(usual[i]), (name) => names.add(name));
    return names;
  };

  const list = (names) => {
    const array = [];
    p.setForEach(names, (name) => arrayPush(array, name));
    return array;
  };

  // What only code of the guest's may know.
  const UNKNOWN = { __proto__: null };

  // The value of `object[key]`, undefined if there is none. The accessors of the global that are called are ours: they read a variable,
  // or what the host has given.
  const read = (object, key) => {
    for (let at = object, depth = 0; at !== null && depth < MAX_PROTOTYPES; depth++) {
      if (op_is_proxy(at)) return UNKNOWN;
      const descriptor = getDescriptor(at, key);
      if (descriptor === undefined) {
        at = getPrototypeOf(at);
        continue;
      }
      const { get, value } = descriptor;
      if (get === undefined) return value;
      if (at !== globalThis) return UNKNOWN;
      return boot.isVariable(key, get) ? get() : (boot.toolAt(key) ?? UNKNOWN);
    }
    return undefined;
  };

  const asyncPrototype = getPrototypeOf(async () => undefined);

  const typeOf = (value) =>
    typeof value === "function" && !op_is_proxy(value) && getPrototypeOf(value) === asyncPrototype
      ? "async function"
      : typeof value;

  const nothing = [];
  const unknown = () => ["unknown", list(usualNames()), nothing];

  // [kind, names, names of the language's] of what `path` leads to from the global: "missing" if that has no `member`, else the type
  // of it, "async function" too, or "accessor"; "nothing" for undefined and null, and for what only code of the guest's may know; "unknown" with the names of the usual classes if it cannot be told. No
  // code of the guest's runs here. Throws for a variable that has no value yet.
  boot.lookUp = ({ path, member }) => {
    let at = globalThis;
    for (let i = 0; i < path.length; i++) {
      if (at === undefined || at === null) return unknown();
      if (i === 0 && getDescriptor(globalThis, path[0]) === undefined) return unknown();
      at = read(at, path[i]);
      if (at === UNKNOWN || op_is_proxy(at)) return ["nothing", nothing, nothing];
    }
    if (at === undefined || at === null) return ["nothing", nothing, nothing];
    const all = namesOf(boot.isObject(at) ? at : getPrototypeOf(at));
    const isGlobal = at === globalThis;
    const value = all.has(member) ? read(at, member) : undefined;
    const kind = !all.has(member) ? "missing" : value === UNKNOWN ? "accessor" : typeOf(value);
    return [kind, list(isGlobal ? globalNames(all) : all), isGlobal ? list(only(all, true)) : nothing];
  };

  // Whether what the global has by `name` is what the host has sent, and no primitive.
  boot.isSent = (name) => boot.sent.has(read(globalThis, name));
})();
