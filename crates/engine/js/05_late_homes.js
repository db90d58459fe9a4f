// Which objects does V8 extend when a context is created from a snapshot? build.rs asks an isolate that started from
// an unhardened snapshot (`recordRealm` before the blob is made, `changedHomes` after start) and puts the answer, as
// paths, in place of LATE_HOMES; WALK_REALM is walk_realm.js.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { mapForEach, newMap, ownKeys } = boot.p;
  const realm = WALK_REALM;
  const isBootstrapName = (key) => key === "__smol_boot";

  boot.walkRealm = (visit) => realm.walk(visit, isBootstrapName);
  boot.resolveLateHomes = () => LATE_HOMES.map(realm.follow);

  boot.recordRealm = () => {
    boot.known = newMap();
    boot.walkRealm((object, path) => boot.known.set(object, [path, ownKeys(object)]));
  };

  // JSON: [{ path, added }] of the objects whose own keys are no longer those of the record.
  boot.changedHomes = () => {
    const homes = [];
    mapForEach(boot.known, ([path, before], object) => {
      const now = ownKeys(object);
      if (now.length !== before.length || now.some((key, i) => key !== before[i])) {
        homes.push({ path, added: now.filter((key) => !before.includes(key)).map(realm.keyName) });
      }
    });
    return JSON.stringify(homes);
  };
})();
