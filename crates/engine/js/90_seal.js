// Puts the guest's names on the global. Freezes everything that can be frozen before V8 has added its newest built-ins.
// Returns the function that leaves `__smol_realm`, the functions that Rust calls.
"use strict";

// Generated code counts with these variables and calls these functions. They are lexical variables of the script scope,
// so that no program can reach them through the global object. VALIDATE refuses their names. Bootstrap files must not
// declare anything else at the top level.
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
  const { p, harden, hardened, late, lateKeys, recordKeys, replaceLate, twins } = boot;
  const {
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
    TypeError,
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

  // The guest's part of the objects that V8 adds after it has made the context, in the order in which they are found.
  // Each is a property (`keys`, `kinds`) of an earlier object (`homes`, the number of that object).
  const planOf = ({ objects, added }, names) => {
    const plan = { __proto__: null, objects, extended: objects.length, homes: [], keys: [], kinds: [] };
    const numbers = new Map(objects.map((_, number) => [number, number]));
    arrayPush(objects, globalThis);
    numbers.set(plan.extended, plan.extended);
    added.forEach(([home, key, kind], i) => {
      const isLeftOut = home === plan.extended && !names.has(key);
      if (isLeftOut || !numbers.has(home)) return;
      numbers.set(plan.extended + 1 + i, objects.length + plan.keys.length);
      arrayPush(plan.homes, numbers.get(home));
      arrayPush(plan.keys, key);
      arrayPush(plan.kinds, kind);
    });
    return plan;
  };
  const lateTwins = [];
  for (const { from, to } of twins) {
    const at = late.objects.indexOf(from);
    const keys = late.added.filter(([home, key]) => home === at && !hasOwn(to, key)).map(([, key]) => key);
    if (keys.length > 0) arrayPush(lateTwins, { from, to, keys });
  }
  // Objects that stay extensible until then.
  const extensible = newSet([...late.objects, ...lateTwins.map(({ to }) => to)]);
  // Closures would keep alive what they refer to here.
  const lateNames = newSet();
  for (const [home, key] of late.added) {
    if (home === late.objects.length && allowed.has(key) && !hasOwn(globalThis, key)) lateNames.add(key);
  }
  const plan = planOf(late, lateNames);

  // The prototypes of arrays and objects are frozen property by property. If V8 freezes them itself, they get another
  // kind of elements. V8 then checks for read-only elements on every element store anywhere, which takes twice as long.
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

  // V8 lays out a prototype that was frozen as a hash table, and its optimized code assumes nothing about such a
  // prototype. It inlines no `push` and uses no fast array iteration. Enumerating an object that inherits from the
  // prototype makes V8 lay it out as a prototype again.
  const quicken = (object) => {
    for (const _ in create(object)) break;
  };

  const intrinsics = newWeakSet();
  intrinsics.add(globalThis);
  boot.walkRealm((object, path) => {
    if (!extensible.has(object) && path[0] !== "v:Atomics") fix(object);
    const step = path[path.length - 1];
    // `harden` and the copier of outputs reach built-ins through their prototypes and constructors, so those are
    // recorded.
    const isHome = step === "prototype" || step === "v:prototype" || hasOwn(object, "prototype");
    if (isHome) intrinsics.add(object);
    // Objects that V8 will extend keep this layout when they are frozen. Doing this in each isolate would take a tenth
    // of its start-up time.
    if (isHome || extensible.has(object)) quicken(object);
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
  boot.freezeGraph(boot.toHarden, newWeakSet([globalThis]), extensible);
  boot.intrinsics = intrinsics;

  // Defines the names that V8 has put on the global, and removes those that guests do not get.
  const settleLate = (names) => {
    for (let i = 0; i < names.length; i++) {
      if (lateNames.has(names[i])) settle(names[i]);
      else reflectDelete(globalThis, names[i]);
    }
  };

  // The constructor that V8 calls when it makes an error. V8 adds a property to it after it has made the context.
  let ErrorOfV8 = function () {};

  // Freezes the objects that V8 has added, and the objects that they were added to.
  const finish = ({ objects, extended, homes, keys, kinds }, twins) => {
    for (let i = 0; i < keys.length; i++) {
      const home = objects[homes[i]];
      const key = keys[i];
      const kind = kinds[i];
      let added;
      if (kind === "value") added = home[key];
      else if (kind === "prototype") added = getPrototypeOf(home);
      else added = getDescriptor(home, key)[kind];
      if (typeof added !== "function" && typeof added !== "object")
        throw new TypeError("a built-in is not where it was");
      objects[objects.length] = freeze(added);
    }
    for (let i = 0; i < extended; i++) {
      if (objects[i] !== ErrorOfV8) freeze(objects[i]);
    }
    for (let i = 0; i < twins.length; i++) {
      const { from, to, keys } = twins[i];
      for (let j = 0; j < keys.length; j++) defineProperty(to, keys[j], getDescriptor(from, keys[j]));
      freeze(to);
    }
  };

  // Called once, when V8 has added its newest built-ins. Replaces the built-ins that never check for termination,
  // copies built-ins to the replaced classes, removes the names that guests do not get, and freezes the rest.
  const hardenNewest = () => {
    const { plan, twins, global } = work;
    replaceLate();
    settleLate(lateKeys(global));
    finish(plan, twins);
    for (let at = getPrototypeOf(global.object); at !== null; at = getPrototypeOf(at)) {
      if (isExtensible(at)) freeze(at);
    }
    reflectDelete(global.object, "Atomics");
    work = undefined;
  };

  // Called once in each isolate, before any guest code.
  const finishHardening = () => {
    if (work !== undefined) hardenNewest();
    // V8 adds it to each context created from the snapshot.
    reflectDelete(globalThis, "WebAssembly");
    // Ten of these frames are shown, and also the frame of the running program.
    ErrorOfV8.stackTraceLimit = 100;
    freeze(ErrorOfV8);
  };

  // Called for a rehearsal. Later the realm's own is used.
  const rehearsed = () => {
    const object = {
      value: {},
      get accessor() {
        return 0;
      },
    };
    const plan = {
      objects: [object, object],
      extended: 1,
      homes: [0, 2, 0],
      keys: ["value", "", "accessor"],
      kinds: ["value", "prototype", "get"],
    };
    const global = recordKeys({ name: 0, [Symbol.iterator]: 0 });
    global.object.property = {};
    return { plan, twins: [{ from: { name: 0 }, to: {}, keys: ["name"] }], global };
  };
  let work = rehearsed();

  // Functions that have run are compiled in the snapshot. Every isolate starts with these, and most isolates log.
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
    boot.setVariables([], []);
    boot.installTools([]);
    boot.hardenFresh({ array: [{}] });
    harden({ array: [{}] });
  };

  const {
    begin,
    beginTime,
    inspectValue,
    isSent,
    lookUp,
    reading,
    resetConsole,
    toCloneable,
    uncloneablePath,
    withSubstitutes,
  } = boot;
  const realm = freeze({
    __proto__: null,
    finishHardening,
    begin(limit) {
      resetConsole();
      beginTime();
      begin(limit);
    },
    finish: boot.finish,
    isSignal: boot.isSignal,
    argumentsWithSubstitutes: boot.argumentsWithSubstitutes,
    declaredValue: boot.declaredValue,
    installGlobals: boot.installGlobals,
    turn: boot.turn,
    setVariables: boot.setVariables,
    installTools: boot.installTools,
    buildExports: boot.buildExports,
    inspect: (value) => reading(inspectValue, value),
    toCloneable: (value) => reading(toCloneable, value),
    withSubstitutes: (value) => reading(withSubstitutes, value),
    uncloneablePath: (args) => reading(uncloneablePath, args),
    lookUp: (place) => reading(lookUp, place),
    isSent: (name) => reading(isSent, name),
    hardenFresh: boot.hardenFresh,
    setStacks: boot.setStacks,
    addDetails: boot.addDetails,
  });
  warmUp();
  resetConsole();
  boot.forgetProxies();
  delete globalThis.__smol_boot;
  ErrorOfV8 = boot.feral.Error;
  work = { plan, twins: lateTwins, global: recordKeys(globalThis) };

  // Objects that only the bootstrap needed become garbage before the blob is made.
  const spent = [
    "bodies",
    "endowments",
    "feral",
    "forgetProxies",
    "freezeGraph",
    "guestGlobals",
    "inspectModule",
    "late",
    "lateBuiltIns",
    "lateKeys",
    "loops",
    "ops",
    "pairs",
    "recordKeys",
    "recordRealm",
    "replaceLate",
    "resolveLateBuiltIns",
    "toHarden",
    "twins",
    "util",
    "walkRealm",
  ];
  for (const key of spent) delete boot[key];

  // `hasNewest`: V8 has added its newest built-ins already, and adds them to no context created from the snapshot.
  return (hasNewest) => {
    if (hasNewest) hardenNewest();
    // After the recorded names.
    defineProperty(globalThis, "__smol_realm", { __proto__: null, value: realm, configurable: true });
  };
})();
