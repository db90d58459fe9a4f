// V8 adds its newest built-ins when a context is created from the snapshot, and aborts if an object that they go on is
// frozen. Those objects (`lateHomes`, derived by build.rs) must stay extensible in the snapshot, and 12_lockdown.js
// still has corrections to make. SES captures `Object.freeze` when it loads; this one leaves all freezing to
// 90_seal.js, which walks the same realm, and to `finishHardening` at isolate start.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;

  boot.lateHomes = boot.resolveLateHomes();
  boot.feral = {
    __proto__: null,
    Error,
    RegExp,
    Symbol,
    eval,
    toString: Function.prototype.toString,
  };

  Object.freeze = { freeze: (object) => object }.freeze;

  // Not for guests, and SES would keep what it cannot recognise alive.
  delete globalThis.WebAssembly;
})();
