// Finds the properties that V8 adds when a context is created from a snapshot, and the objects that get them. build.rs
// asks an isolate that started from an unhardened snapshot: `recordRealm` before the blob is made, `lateBuiltIns` after
// the start. It puts the answer in the place of LATE_BUILT_INS. WALK_REALM is walk_realm.js.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { mapForEach, newMap, ownKeys } = boot.p;
  const realm = WALK_REALM;
  const isBootstrapName = (key) => key === "__smol_boot";

  boot.walkRealm = (visit) => realm.walk(visit, isBootstrapName);
  const found = LATE_BUILT_INS;
  // `objects`: the objects that V8 extends. `added` has an entry for each object that V8 adds. The entry has the number
  // of its holder (`objects`, the global, then earlier entries), the key, and whether it is a value, a getter, a setter
  // or the prototype.
  boot.resolveLateBuiltIns = () => ({
    __proto__: null,
    objects: found.homes.map(realm.follow),
    added: found.added.map(([at, name, kind]) => [
      at,
      name.startsWith("@@Symbol.") ? Symbol[name.slice(9)] : name,
      kind,
    ]),
  });

  boot.recordRealm = () => {
    boot.known = newMap();
    boot.walkRealm((object, path) => boot.known.set(object, [path, ownKeys(object)]));
    boot.globalNames = ownKeys(globalThis);
  };

  // JSON: { homes: paths of the objects whose own keys differ from the record, added: the objects that V8 has added }.
  boot.lateBuiltIns = () => {
    const homes = [];
    const queue = [];
    const added = [];
    const enqueue = (value, at, key, kind) => {
      if (!realm.isObject(value) || boot.known.has(value) || value === globalThis) return;
      boot.known.set(value, []);
      queue.push(value);
      added.push([at, realm.keyName(key), kind]);
    };
    const enqueueProperty = (object, at, key) => {
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
      enqueue(value, at, key, "value");
      enqueue(get, at, key, "get");
      enqueue(set, at, key, "set");
    };
    const changed = [];
    mapForEach(boot.known, ([path, before], object) => {
      const now = ownKeys(object);
      if (now.length === before.length && now.every((key, i) => key === before[i])) return;
      homes.push(path);
      changed.push([object, now.filter((key) => !before.includes(key))]);
    });
    changed.forEach(([object, keys], at) => {
      for (const key of keys) enqueueProperty(object, at, key);
    });
    const names = ownKeys(globalThis).filter((key) => !boot.globalNames.includes(key));
    for (const name of names) enqueueProperty(globalThis, homes.length, name);
    for (let i = 0; i < queue.length; i++) {
      const at = homes.length + 1 + i;
      enqueue(Object.getPrototypeOf(queue[i]), at, "", "prototype");
      for (const key of ownKeys(queue[i])) enqueueProperty(queue[i], at, key);
    }
    return JSON.stringify({ homes, added });
  };
})();
