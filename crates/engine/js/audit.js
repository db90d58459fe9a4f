// Evaluated in a guest's realm by tests, with walk_realm.js in the place of WALK_REALM. JSON of { globals: names in
// order, unfrozen: paths of objects that a guest could change, objects: how many were visited }.
(() => {
  const realm = WALK_REALM;
  const unfrozen = [];
  let objects = 0;
  realm.walk(
    (object, path) => {
      objects++;
      if (!Object.isFrozen(object)) unfrozen.push(path.join("."));
    },
    () => false,
  );
  const globals = Reflect.ownKeys(globalThis).map((key) => {
    const { writable, configurable, get } = Object.getOwnPropertyDescriptor(globalThis, key);
    const kind = get ? "accessor" : writable ? "writable" : "readonly";
    return `${realm.keyName(key)} ${kind} ${configurable ? "configurable" : "fixed"}`;
  });
  return JSON.stringify({ globals: globals.sort(), unfrozen, objects });
})();
