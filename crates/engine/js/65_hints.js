// Lists the names that exist where guest code has used a missing name, for hints (crates/hints).
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

  // Names of `object` and of the objects that it inherits from. Two kinds are skipped. A large array has as many
  // indices, all of which would become strings. The handler of a proxy can return any names.
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

  // Built-in names on the global, including some that are removed later.
  const builtIns = namesOf(globalThis);
  for (let i = 0; i < boot.endowments.length; i++) builtIns.add(boot.endowments[i]);

  // The names that are built-in, or those that are not.
  const only = (names, isBuiltIn) => {
    const some = newSet();
    p.setForEach(names, (name) => {
      if (builtIns.has(name) === isBuiltIn) some.add(name);
    });
    return some;
  };

  // Names on the global that are not built-in. Includes the functions in the host's objects there, which are namespaces
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

  // A value that only guest code could determine.
  const UNKNOWN = { __proto__: null };

  // The value of `object[key]`; undefined if there is none. Calls accessors of the global only if they are ours: they
  // read a variable or a value of the host.
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

  // [kind, names, built-in names] of the value that `path` leads to from the global. Kinds: "missing" if the value has
  // no `member`, else the type of the member, also "async function" or "accessor". "nothing" stands for undefined and
  // null, and for values that only guest code could determine. "unknown", with the names of the usual classes, means
  // that the value cannot be determined. Runs no guest code. Throws for a variable that has no value yet.
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

  // Whether the global's value of `name` is an object that the host has sent.
  boot.isSent = (name) => boot.sent.has(read(globalThis, name));
})();
