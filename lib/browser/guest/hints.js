// @ts-check
'use strict';

/**
 * Lists the names that exist where a program has used a missing name, for hints (crates/hints).
 * crates/engine/js/65_hints.js does this in isolates.
 *
 * @param {import('./language').Language} language
 * @param {(name: string) => any} toolAt the host's value under a name of the global
 * @param {(name: string, get: Function) => boolean} isVariable whether a getter is that of the guest's variable
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
  /** Lists with more items are skipped, because all their indices would become strings. */
  const MAX_ITEMS = 1_000;

  /**
   * Name -> the browser's getter, for the properties of the global that programs use most. These getters run no guest
   * code.
   */
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
    // Some pages have no storage.
    const value = attempt((/** @type {any} */ global) => apply(get, global, []), G);
    return value === undefined ? UNKNOWN : value;
  };

  const usual = [Array, String, Map, Set, Promise, Number, Date, RegExp, Object].map((one) => one.prototype);
  const isObject = (/** @type {any} */ value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isLong = (/** @type {any} */ object) =>
    (isArray(object) ? object.length : (attempt(typedLength, object) ?? 0)) > MAX_ITEMS;

  /** A list of names without duplicates. */
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
  /** Adds the names of an object and of the objects that it inherits from. */
  const addNames = (/** @type {any} */ names, /** @type {any} */ object) => {
    for (let at = object, depth = 0; at !== null && depth < MAX_PROTOTYPES; depth++) {
      if (!isLong(at)) {
        const keys = ownKeys(at);
        for (let i = 0; i < keys.length; i++) names.add(keys[i]);
      }
      at = getPrototypeOf(at);
    }
  };
  /** Names on the global that belong to the language or the browser. */
  const builtIns = makeNames();
  addNames(builtIns, G);
  for (const name of ['console', 'final_answer', 'harden']) builtIns.add(name);
  /** The names that are built-in, or those that are not. */
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

  /** A value that only guest code could determine. */
  const UNKNOWN = empty();
  /** The value of `object[key]`; undefined if there is none. Works as in isolates, but cannot recognize proxies. */
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
   * JSON of the kind of the value that `path` leads to, its names, and the built-in ones among them: see `LookUp`. Runs
   * no getters of the guest, but may run the handlers of its proxies.
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
