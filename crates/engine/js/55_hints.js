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

  // Names on the global, and those of functions in objects there that the host has made: namespaces of tools.
  const globalNames = () => {
    const names = namesOf(globalThis);
    const keys = ownKeys(globalThis);
    for (let i = 0; i < keys.length; i++) {
      const namespace = boot.toolAt(keys[i]);
      if (typeof namespace !== "object") continue;
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

  // [kind, names] of what `path` leads to from the global: "missing" if that has no `member`, else the type of it;
  // "nothing" for undefined and null; "unknown" with the names of the usual classes if it cannot be told. Getters of the
  // guest run here.
  boot.lookUp = ({ path, member }) => {
    let at = globalThis;
    for (let i = 0; i < path.length; i++) {
      if (at === undefined || at === null) return ["unknown", list(usualNames())];
      if (i === 0 && getDescriptor(globalThis, path[0]) === undefined) return ["unknown", list(usualNames())];
      at = at[path[i]];
    }
    if (at === undefined || at === null) return ["nothing", []];
    const object = boot.isObject(at) ? at : getPrototypeOf(at);
    const names = object === globalThis ? globalNames() : namesOf(object);
    return [names.has(member) ? typeof at[member] : "missing", list(names)];
  };
})();
