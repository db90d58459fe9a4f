// @ts-check
'use strict';

/**
 * What there is where a program has named something that is not there: for hints (crates/hints). As crates/engine/js/55_hints.js
 * does it for isolates.
 *
 * @param {import('./language').Language} language
 * @param {(name: string) => any} toolAt what the host has given under a name of the global
 */
function makeLookUp(language, toolAt) {
  const { Array, Date, Map, Object, Promise, RegExp, Set, String, attempt, bare, empty, getPrototypeOf, isArray } =
    language;
  const { own, ownKeys, startsWith, stringify, typedLength } = language;
  const { Number } = /** @type {any} */ (globalThis);
  const G = /** @type {any} */ (globalThis);

  const MAX_NAMES = 4_000;
  const MAX_LENGTH = 64;
  const MAX_PROTOTYPES = 16;
  /** Items of a list whose indices become texts, with the names of what else it has. */
  const MAX_ITEMS = 1_000;

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
  const answer = (/** @type {string} */ kind, /** @type {any} */ names) => {
    const parts = bare();
    parts[0] = kind;
    parts[1] = names.list;
    return stringify(parts);
  };
  const unknown = () => {
    const names = makeNames();
    for (let i = 0; i < usual.length; i++) addNames(names, usual[i]);
    return answer('unknown', names);
  };

  /**
   * JSON of the kind and the names of what `path` leads to: see `LookUp`. Getters and proxies of the guest run here.
   *
   * @param {{ path: string[], member: string }} place
   */
  return ({ path, member }) => {
    let at = G;
    for (let i = 0; i < path.length; i++) {
      if (at === undefined || at === null || (i === 0 && own(G, path[0]) === undefined)) return unknown();
      at = at[path[i]];
    }
    const names = makeNames();
    if (at === undefined || at === null) return answer('nothing', names);
    const object = isObject(at) ? at : getPrototypeOf(Object(at));
    addNames(names, object);
    if (object === G) addGlobals(names);
    return answer(names.has(member) ? typeof at[member] : 'missing', names);
  };
}

module.exports = { makeLookUp };
