// Puts the guest's names on the global, freezes what can be frozen before V8 has created the context, and leaves
// `__smol_realm`: the functions that Rust calls.
"use strict";

// What generated code counts and calls: lexicals of the script scope, so that no program can touch them through the
// global object; VALIDATE refuses their names. Nothing else may be declared at the top level of a bootstrap file.
let __smol_budget = 0;
let __smol_done = false;
const {
  guard: __smol_guard,
  rethrow: __smol_rethrow,
  thrown: __smol_thrown,
  declare: __smol_declare,
  before: __smol_before,
  cell: __smol_cell,
  holdDeclared: __smol_declared,
  keep: __smol_keep,
  import: __smol_import,
} = globalThis.__smol_boot;

(() => {
  const boot = globalThis.__smol_boot;
  const { p, harden, hardened, isObject, lateKeys, recordKeys, replaceLate, twins } = boot;
  const {
    arrayPop,
    arrayPush,
    create,
    defineProperty,
    freeze,
    getDescriptor,
    getPrototypeOf,
    hasOwn,
    isExtensible,
    newSet,
    newWeakSet,
    ownKeys,
    reflectDelete,
  } = p;

  const allowed = newSet(boot.guestGlobals);
  const settled = newSet();
  // V8 needs Atomics while it creates the context.
  const untilStart = newSet(["Atomics", "__smol_boot"]);

  const settle = (name) => {
    const { value } = getDescriptor(globalThis, name);
    const isFixed = name === "globalThis" || name === "undefined" || name === "NaN" || name === "Infinity";
    // Configurable, so that a program may declare the name at its top level: a binding replaces the property.
    defineProperty(globalThis, name, {
      __proto__: null,
      value,
      writable: false,
      enumerable: false,
      configurable: !isFixed,
    });
    return value;
  };

  const endowments = { __proto__: null, console: boot.console, final_answer: boot.finalAnswer, harden };
  for (const name of boot.endowments) {
    defineProperty(globalThis, name, {
      __proto__: null,
      value: endowments[name],
      writable: false,
      enumerable: false,
      configurable: false,
    });
    settled.add(name);
  }
  for (const name of ownKeys(globalThis)) {
    if (settled.has(name) || untilStart.has(name)) continue;
    if (allowed.has(name)) settle(name);
    else delete globalThis[name];
  }

  // What stays extensible until V8 has made the context.
  const unfinished = boot.lateHomes;
  for (const { to } of twins) arrayPush(unfinished, to);
  const late = newSet(unfinished);

  // The prototypes of arrays and objects are frozen property by property: those that V8 itself froze have a kind of elements
  // for which it looks whether elements are read-only each time one is stored anywhere, which takes twice as long.
  const { seal } = Object;
  const bases = newSet([Array.prototype, Object.prototype]);
  const fix = (object) => {
    if (!bases.has(object)) return freeze(object);
    seal(object);
    for (const key of ownKeys(object)) {
      if (getDescriptor(object, key).writable) defineProperty(object, key, { __proto__: null, writable: false });
    }
    return object;
  };

  // V8 keeps what was frozen as a prototype in a table, of which its optimised code assumes nothing: it neither inlines
  // `push` nor iterates arrays by itself. Enumerating what inherits from an object has V8 lay it out as a prototype again.
  const quicken = (object) => {
    for (const _ in create(object)) break;
  };

  const intrinsics = newWeakSet();
  intrinsics.add(globalThis);
  boot.walkRealm((object, path) => {
    if (!late.has(object) && path[0] !== "v:Atomics") fix(object);
    const step = path[path.length - 1];
    // `harden` and the copier of outputs meet built-ins at their prototypes and constructors: those are remembered.
    const isHome = step === "prototype" || step === "v:prototype" || hasOwn(object, "prototype");
    if (isHome) intrinsics.add(object);
    // What V8 will extend stays laid out like that when it is frozen. To do this in each isolate would be a tenth of its start.
    if (isHome || late.has(object)) quicken(object);
    if (intrinsics.has(object)) hardened.add(object);
  });
  hardened.add(globalThis);
  p.apply(Array.prototype.push, boot.toHarden, [
    boot.guard,
    boot.rethrow,
    boot.thrown,
    boot.declare,
    boot.before,
    boot.cell,
    boot.holdDeclared,
    boot.keep,
    boot.import,
  ]);
  boot.freezeGraph(boot.toHarden, newWeakSet([globalThis]), late);
  boot.intrinsics = intrinsics;

  const copyLateProperties = ({ from, to, known }) => {
    const keys = lateKeys(known);
    for (let i = 0; i < keys.length; i++) {
      if (!hasOwn(to, keys[i])) defineProperty(to, keys[i], getDescriptor(from, keys[i]));
    }
  };

  // Adds to `queue` what a property leads to and what is not frozen yet.
  const enqueueProperty = (queue, object, key) => {
    const { value, get, set } = getDescriptor(object, key);
    if (isObject(value) && isExtensible(value)) arrayPush(queue, value);
    if (get !== undefined && isExtensible(get)) arrayPush(queue, get);
    if (set !== undefined && isExtensible(set)) arrayPush(queue, set);
  };

  // Freezes an object that V8 has extended, and adds to `queue` what that brought.
  const finishHome = (queue, home) => {
    const { object } = home;
    freeze(object);
    const keys = lateKeys(home);
    for (let i = 0; i < keys.length; i++) enqueueProperty(queue, object, keys[i]);
  };

  const freezeAll = (queue) => {
    while (queue.length > 0) {
      const object = arrayPop(queue);
      if (!isExtensible(object)) continue;
      freeze(object);
      const keys = ownKeys(object);
      for (let i = 0; i < keys.length; i++) enqueueProperty(queue, object, keys[i]);
      const prototype = getPrototypeOf(object);
      if (prototype !== null && isExtensible(prototype)) arrayPush(queue, prototype);
    }
  };

  const finish = (twins, global, homes, roots) => {
    for (let i = 0; i < twins.length; i++) copyLateProperties(twins[i]);
    const queue = [];
    const names = lateKeys(global);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (!allowed.has(name)) {
        reflectDelete(globalThis, name);
        continue;
      }
      const value = settle(name);
      if (isObject(value) && isExtensible(value)) arrayPush(queue, value);
    }
    for (let i = 0; i < homes.length; i++) finishHome(queue, homes[i]);
    for (let i = 0; i < roots.length; i++) arrayPush(queue, roots[i]);
    freezeAll(queue);
  };

  // Called once, when V8 has added its newest built-ins, before any guest code: replaces those that never look at termination, copies
  // them to the replaced classes, removes the names that guests do not get, and freezes what is left.
  const finishHardening = () => {
    const { twins, global, homes } = work;
    // Of these frames ten are shown, and that of the program which runs. V8 has made the property by now.
    twins[0].from.stackTraceLimit = 100;
    replaceLate();
    const roots = [];
    for (let at = getPrototypeOf(global.object); at !== null; at = getPrototypeOf(at)) arrayPush(roots, at);
    finish(twins, global, homes, roots);
    reflectDelete(global.object, "Atomics");
  };

  // For a rehearsal; then it is the realm's.
  const grown = () => {
    const record = recordKeys({ name: 0, [Symbol.iterator]: 0 });
    record.object.property = {};
    return record;
  };
  let work = { twins: [{ from: grown().object, to: {}, known: grown() }], global: grown(), homes: [grown()] };

  // Functions that have run are compiled in the snapshot: every isolate starts with these, and most log.
  const warmUp = () => {
    finishHardening();
    realm.begin(1);
    boot.before("__smol_warm_up");
    boot.declare(
      {
        get __smol_warm_up() {
          throw undefined;
        },
      },
      ["__smol_warm_up"],
    );
    boot.cell("__smol_warm_up");
    boot.keep(0, ["__smol_warm_up", 1, undefined]);
    boot.finish(false);
    boot.format(["text", { array: [1], nested: { key: "value" } }]);
    boot.canDefine([]);
    boot.setVariables([], []);
    boot.installTools([]);
    boot.hardenFresh({ array: [{}] });
    boot.hardenFresh({ array: [{}] }, true);
    harden({ array: [{}] });
  };

  const { begin, inspectValue, isSent, lookUp, reading, resetConsole, toCloneable, uncloneablePath, withUrlTexts } =
    boot;
  const realm = freeze({
    __proto__: null,
    finishHardening,
    begin(limit) {
      resetConsole();
      begin(limit);
    },
    finish: boot.finish,
    isSignal: boot.isSignal,
    argumentsWithUrlTexts: boot.argumentsWithUrlTexts,
    declaredValue: boot.declaredValue,
    canDefine: boot.canDefine,
    setVariables: boot.setVariables,
    installTools: boot.installTools,
    buildExports: boot.buildExports,
    inspect: (value) => reading(inspectValue, value),
    toCloneable: (value) => reading(toCloneable, value),
    withUrlTexts: (value) => reading(withUrlTexts, value),
    uncloneablePath: (args) => reading(uncloneablePath, args),
    lookUp: (place) => reading(lookUp, place),
    isSent: (name) => reading(isSent, name),
    hardenFresh: boot.hardenFresh,
    setStacks: boot.setStacks,
  });
  warmUp();
  resetConsole();
  boot.forgetProxies();
  delete globalThis.__smol_boot;
  work = { twins, global: recordKeys(globalThis), homes: unfinished.map(recordKeys) };
  // Behind the recorded names.
  defineProperty(globalThis, "__smol_realm", { __proto__: null, value: realm, configurable: true });

  // What only the bootstrap needed is garbage before the blob is made.
  const spent = [
    "changedHomes",
    "endowments",
    "feral",
    "forgetProxies",
    "freezeGraph",
    "guestGlobals",
    "inspectModule",
    "lateHomes",
    "lateKeys",
    "loops",
    "ops",
    "recordKeys",
    "recordRealm",
    "replaceLate",
    "resolveLateHomes",
    "toHarden",
    "twins",
    "util",
    "walkRealm",
  ];
  for (const key of spent) delete boot[key];
})();
