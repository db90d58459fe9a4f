// An expression. `walk(visit, isHidden)` calls `visit(object, path)` for every object that is reachable from the
// global, or from values that syntax makes. It follows own properties, accessor functions and prototypes, and skips
// global names for which `isHidden` is true. `follow(path)` finds an object again. 05_late_built_ins.js and the audit
// of a running realm share this file, so it runs in pristine and in hardened realms, before guest code.
(() => {
  "use strict";
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { ownKeys } = Reflect;

  const keyName = (key) => (typeof key === "symbol" ? `@@${key.description}` : key);
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // Evaluated one by one. Syntax that a realm does not support is skipped.
  const makers = {
    __proto__: null,
    function: () => function () {},
    arrow: () => () => {},
    method: () => ({ m() {} }).m,
    class: () => class {},
    async: () => async () => {},
    generator: () => function* () {},
    asyncGenerator: () => async function* () {},
    generatorObject: () => (function* () {})(),
    asyncGeneratorObject: () => (async function* () {})(),
    promise: () => (async () => {})(),
    object: () => ({}),
    array: () => [],
    regexp: () => /x/,
    error: () => new TypeError("x"),
    thrown: () => {
      try {
        null.x;
      } catch (error) {
        return error;
      }
    },
    template: () => ((strings) => strings)`x`,
    arguments: () =>
      (function () {
        return arguments;
      })(),
    arrayIterator: () => [][Symbol.iterator](),
    mapIterator: () => new Map()[Symbol.iterator](),
    setIterator: () => new Set()[Symbol.iterator](),
    stringIterator: () => ""[Symbol.iterator](),
    regexpStringIterator: () => "".matchAll(/x/g),
    iteratorHelper: () => [].values().map((x) => x),
    wrapForValid: () => Iterator.from({ next() {} }),
    segments: () => new Intl.Segmenter().segment("x"),
    segmentIterator: () => new Intl.Segmenter().segment("x")[Symbol.iterator](),
    typedArray: () => new Uint8Array(1),
    match: () => /(?<x>x)/d.exec("x"),
    asyncFromSync: () =>
      (async function* () {
        yield* [1];
      })(),
    number: () => Object(1),
    string: () => Object(""),
    symbol: () => Object(Symbol.iterator),
    bigint: () => Object(1n),
    boolean: () => Object(true),
  };

  const make = (name) => {
    try {
      return makers[name]();
    } catch {
      return undefined;
    }
  };

  const walk = (visit, isHidden) => {
    const seen = new Set([globalThis]);
    const queue = [];
    // `twin` is the object at the same path from a second value of the same syntax. If both paths lead to one object,
    // it belongs to the realm. If they differ, the objects were made along with the values.
    const enqueue = (value, twin, path) => {
      if (!isObject(value) || seen.has(value)) return;
      seen.add(value);
      // undefined: shared. null: the second value has nothing there.
      queue.push([value, value === twin ? undefined : isObject(twin) ? twin : null, path]);
    };
    const enqueueProperty = (object, twin, key, path) => {
      const own = getOwnPropertyDescriptor(object, key);
      if (own === undefined) return;
      const other = twin === undefined ? own : twin === null ? undefined : getOwnPropertyDescriptor(twin, key);
      enqueue(own.value, other?.value, [...path, `v:${keyName(key)}`]);
      enqueue(own.get, other?.get, [...path, `g:${keyName(key)}`]);
      enqueue(own.set, other?.set, [...path, `s:${keyName(key)}`]);
    };
    for (const key of ownKeys(globalThis)) {
      if (!isHidden(key)) enqueueProperty(globalThis, undefined, key, []);
    }
    enqueue(getPrototypeOf(globalThis), getPrototypeOf(globalThis), ["globalPrototype"]);
    for (const name of ownKeys(makers)) enqueue(make(name), make(name), [`l:${name}`]);
    for (let i = 0; i < queue.length; i++) {
      const [object, twin, path] = queue[i];
      if (twin === undefined) visit(object, path);
      const other = twin === undefined ? object : twin;
      enqueue(getPrototypeOf(object), other && getPrototypeOf(other), [...path, "prototype"]);
      for (const key of ownKeys(object)) enqueueProperty(object, twin, key, path);
    }
  };

  const follow = (path) => {
    let at = globalThis;
    for (const step of path) {
      const name = step.slice(2);
      if (step === "prototype") at = getPrototypeOf(at);
      else if (step === "globalPrototype") at = getPrototypeOf(globalThis);
      else if (step[0] === "l") at = make(name);
      else {
        const key = ownKeys(at).find((candidate) => keyName(candidate) === name);
        at = getOwnPropertyDescriptor(at, key)[{ v: "value", g: "get", s: "set" }[step[0]]];
      }
    }
    return at;
  };

  return { __proto__: null, follow, isObject, keyName, walk };
})();
