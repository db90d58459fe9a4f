// @ts-check
'use strict';

/**
 * What there is where a program has named something that is not there: for hints (crates/hints). As crates/engine/js/65_hints.js
 * does it for isolates.
 *
 * @param {import('./language').Language} language
 * @param {(name: string) => any} toolAt what the host has given under a name of the global
 * @param {(name: string, get: Function) => boolean} isVariable whether a getter only reads what the guest means by a name
 */
function makeLookUp(language, toolAt, isVariable) {
  const {
    Array,
    Date,
    Map,
    Object,
    Promise,
    RegExp,
    Set,
    String,
    apply,
    attempt,
    bare,
    empty,
    getPrototypeOf,
    isArray,
  } = language;
  const { own, ownKeys, startsWith, stringify, typedLength } = language;
  const { Number } = /** @type {any} */ (globalThis);
  const G = /** @type {any} */ (globalThis);

  const MAX_NAMES = 4_000;
  const MAX_LENGTH = 64;
  const MAX_PROTOTYPES = 16;
  /** Items of a list whose indices become texts, with the names of what else it has. */
  const MAX_ITEMS = 1_000;

  /** Getters of the browser's, by name, of what programs use most of the global. They run no code of the guest's. */
  const natives = empty();
  for (const name of [
    'caches',
    'crypto',
    'customElements',
    'document',
    'frames',
    'history',
    'indexedDB',
    'localStorage',
    'location',
    'navigator',
    'performance',
    'screen',
    'self',
    'sessionStorage',
    'speechSynthesis',
    'visualViewport',
    'window',
  ]) {
    natives[name] = own(G, name)?.get;
  }
  const readNative = (/** @type {Function} */ get) => {
    // Storage is not there for each page.
    const value = attempt((/** @type {any} */ global) => apply(get, global, []), G);
    return value === undefined ? UNKNOWN : value;
  };

  const usual = [Array, String, Map, Set, Promise, Number, Date, RegExp, Object].map((one) => one.prototype);
  const isObject = (/** @type {any} */ value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isLong = (/** @type {any} */ object) =>
    (isArray(object) ? object.length : (attempt(typedLength, object) ?? 0)) > MAX_ITEMS;

  /** A list of names, each once. */
  const makeNames = () => {
    const seen = empty();
    const list = bare();
    return {
      list,
      has: (/** @type {string} */ name) => seen[name] === true,
      add(/** @type {any} */ name) {
        if (list.length >= MAX_NAMES || typeof name !== 'string' || name.length > MAX_LENGTH) return;
        if (seen[name] === true || startsWith(name, '__')) return;
        seen[name] = true;
        list[list.length] = name;
      },
    };
  };
  /** Adds the names of an object and of what it inherits. */
  const addNames = (/** @type {any} */ names, /** @type {any} */ object) => {
    for (let at = object, depth = 0; at !== null && depth < MAX_PROTOTYPES; depth++) {
      if (!isLong(at)) {
        const keys = ownKeys(at);
        for (let i = 0; i < keys.length; i++) names.add(keys[i]);
      }
      at = getPrototypeOf(at);
    }
  };
  /** Names of the language's and the browser's on the global. */
  const builtIns = makeNames();
  addNames(builtIns, G);
  for (const name of ['console', 'final_answer', 'harden']) builtIns.add(name);
  /** Of `names`, those that are built in, or are not. */
  const only = (/** @type {any} */ names, /** @type {boolean} */ isBuiltIn) => {
    const some = makeNames();
    for (let i = 0; i < names.list.length; i++) {
      if (builtIns.has(names.list[i]) === isBuiltIn) some.add(names.list[i]);
    }
    return some;
  };
  const addGlobals = (/** @type {any} */ names) => {
    const keys = ownKeys(G);
    for (let i = 0; i < keys.length; i++) {
      const namespace = toolAt(/** @type {string} */ (keys[i]));
      if (typeof namespace !== 'object' || namespace === null) continue;
      const inner = ownKeys(namespace);
      for (let k = 0; k < inner.length; k++) {
        if (typeof inner[k] === 'string')
          names.add(`${/** @type {string} */ (keys[i])}.${/** @type {string} */ (inner[k])}`);
      }
    }
  };
  const none = makeNames();
  const answer = (/** @type {string} */ kind, /** @type {any} */ names, /** @type {any} */ ofLanguage = none) => {
    const parts = bare();
    parts[0] = kind;
    parts[1] = names.list;
    parts[2] = ofLanguage.list;
    return stringify(parts);
  };
  const unknown = () => {
    const names = makeNames();
    for (let i = 0; i < usual.length; i++) addNames(names, usual[i]);
    return answer('unknown', names);
  };

  /** What only code of the guest's may know. */
  const UNKNOWN = empty();
  /** The value of `object[key]`, undefined if there is none: as the one of isolates, but that a proxy cannot be told. */
  const read = (/** @type {any} */ object, /** @type {string} */ key) => {
    let at = isObject(object) ? object : Object(object);
    for (let depth = 0; at !== null && depth < MAX_PROTOTYPES; depth++) {
      const descriptor = own(at, key);
      if (descriptor === undefined) {
        at = getPrototypeOf(at);
        continue;
      }
      const { get, value } = descriptor;
      if (get === undefined) return value;
      if (at !== G) return UNKNOWN;
      if (get === natives[key]) return readNative(get);
      return isVariable(key, get) ? get() : (toolAt(key) ?? UNKNOWN);
    }
    return undefined;
  };

  /**
   * JSON of the kind, the names and those of the language's of what `path` leads to: see `LookUp`. No getters of the guest run here,
   * but handlers of its proxies do.
   *
   * @param {{ path: string[], member: string }} place
   */
  return ({ path, member }) => {
    let at = G;
    for (let i = 0; i < path.length; i++) {
      if (at === undefined || at === null || (i === 0 && own(G, path[0]) === undefined)) return unknown();
      at = read(at, path[i]);
      if (at === UNKNOWN) return answer('nothing', none);
    }
    const names = makeNames();
    if (at === undefined || at === null) return answer('nothing', names);
    addNames(names, isObject(at) ? at : getPrototypeOf(Object(at)));
    const value = names.has(member) ? read(at, member) : undefined;
    const kind = !names.has(member) ? 'missing' : value === UNKNOWN ? 'accessor' : typeof value;
    if (at !== G || path.length > 0) return answer(kind, names);
    const others = only(names, false);
    addGlobals(others);
    return answer(kind, others, only(names, true));
  };
}

module.exports = { makeLookUp };
