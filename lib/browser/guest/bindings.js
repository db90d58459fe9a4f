// @ts-check
'use strict';

/**
 * What programs call, by the names that crates/prepare/src/transform/persistence.rs and completion.rs write, in the order in which
 * `makeBindings` gives them.
 */
const HELPERS = ['__smol_declare', '__smol_before', '__smol_renew', '__smol_keep', '__smol_declared'];

/**
 * The names that programs declare, on the global: as crates/engine/js/30_guard.js does it for isolates. Names that a page does not
 * give up, such as `top` or that of a tool, are the program's own all the same, and nobody else's.
 *
 * @param {import('./language').Language} language
 * @param {(text: string) => void} warn
 */
function makeBindings(language, warn) {
  const { Map, defineProperty, deleteProperty, empty, mapClear, mapDelete, mapForEach, mapGet, mapSet, own, ownKeys } =
    language;
  const { bare } = language;
  const G = globalThis;

  const warnOfHostName = (/** @type {string} */ name) =>
    warn(`'${name}' is provided by the host: this run's own '${name}' will not be seen by later runs.`);

  /**
   * What the functions of all runs mean by a name: the getter of the newest variable, and getters and setters of all of them, the
   * newest one last. Every one gets the value that the newest has, so that who calls a helper of an earlier run calls the one that
   * was declared last. `value` is what they were given last, once they were (`isGiven`).
   */
  const variables = new Map();
  /** Older ones than these keep the value that they have. */
  const MAX_VARIABLES = 64;
  /** Names that the run has declared where older variables may be. */
  let renewed = bare();
  /** With more of them, what is assigned is only passed on at the end of the run: they are looked at behind each statement. */
  const MAX_RENEWED = 64;

  const setOlder = (/** @type {any} */ sets, /** @type {any} */ value) => {
    for (let i = sets.length - 2; i >= 0; i--) {
      try {
        sets[i](value);
      } catch {
        // One that its run has never reached stays in its dead zone.
      }
    }
  };
  /** Passes the value of the newest variable of a name on to the older ones. */
  const renewOne = (/** @type {string} */ name) => {
    const variable = mapGet(variables, name);
    if (variable === undefined || variable.sets.length < 2) return;
    let value;
    try {
      value = variable.get();
    } catch {
      return;
    }
    if (value === undefined && variable.isVar) return;
    setOlder(variable.sets, value);
    variable.value = value;
    variable.isGiven = true;
  };
  /**
   * Functions of any run write to the variable of their own: what has another value than all were given is what all get, but for
   * constants.
   */
  const settleOne = (/** @type {any} */ variable, /** @type {string} */ name) => {
    const { gets, sets, value, isGiven, isConst } = variable;
    if (!isGiven) return;
    for (let i = gets.length - 1; i >= 0; i--) {
      let now;
      try {
        now = gets[i]();
      } catch {
        // In its dead zone for good.
        continue;
      }
      if (now === value || (now !== now && value !== value)) continue;
      if (i < gets.length - 1 && !isConst) sets[gets.length - 1](now);
      renewOne(name);
      return;
    }
  };
  /**
   * Behind a statement of the program: passes on what it has declared, `names`, and what was assigned since to what it had
   * declared before.
   */
  const renew = (/** @type {string[]} */ ...names) => {
    if (renewed.length <= MAX_RENEWED) {
      for (let i = 0; i < renewed.length; i++) {
        const variable = mapGet(variables, renewed[i]);
        if (variable !== undefined && !variable.isConst) settleOne(variable, renewed[i]);
      }
    }
    for (let i = 0; i < names.length; i++) {
      renewOne(names[i]);
      renewed[renewed.length] = names[i];
    }
  };
  const addVariable = (
    /** @type {string} */ name,
    /** @type {any} */ get,
    /** @type {any} */ set,
    /** @type {boolean} */ isVar,
    /** @type {boolean} */ isConst,
  ) => {
    const gets = bare();
    const sets = bare();
    const older = mapGet(variables, name);
    if (older !== undefined) {
      for (let i = older.sets.length < MAX_VARIABLES ? 0 : 1; i < older.sets.length; i++) {
        gets[gets.length] = older.gets[i];
        sets[sets.length] = older.sets[i];
      }
    }
    gets[gets.length] = get;
    sets[sets.length] = set;
    mapSet(variables, name, { __proto__: null, get, gets, sets, isVar, isConst, value: undefined, isGiven: false });
    if (sets.length === 1) return set;
    return (/** @type {any} */ value) => {
      set(value);
      setOlder(sets, value);
    };
  };
  const restoreVariable = (/** @type {string} */ name, /** @type {any} */ older) =>
    older === undefined ? mapDelete(variables, name) : mapSet(variables, name, older);

  /** What a `var` begins with: what the global has by its name. Nothing of the guest's is called. */
  const valueOf = (/** @type {string} */ name, /** @type {any} */ previous) => {
    if (previous === undefined) return undefined;
    const { get, value } = previous;
    return get === undefined ? value : get === mapGet(variables, name)?.get ? get() : undefined;
  };
  const before = (/** @type {string} */ name) => valueOf(name, own(G, name));

  const namesIn = (/** @type {string[] | undefined} */ list) => {
    const names = empty();
    if (list !== undefined) {
      for (let i = 0; i < list.length; i++) names[list[i]] = true;
    }
    return names;
  };

  /** What the run has declared, by name, and what the global had before. */
  const declared = new Map();
  const declare = (/** @type {any} */ accessors, /** @type {string[]} */ vars, /** @type {string[]} */ constants) => {
    const isVar = namesIn(vars);
    const isConstant = namesIn(constants);
    const names = ownKeys(accessors);
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      const { get, set } = own(accessors, name);
      const previous = own(G, name);
      if (isVar[name] === true) {
        const value = valueOf(name, previous);
        if (value !== undefined) set(value);
      }
      const older = mapGet(variables, name);
      const setAll =
        set === undefined ? undefined : addVariable(name, get, set, isVar[name] === true, isConstant[name] === true);
      const property = {
        __proto__: null,
        get,
        set: isConstant[name] === true || setAll === undefined ? constant : setAll,
        enumerable: true,
        configurable: true,
      };
      if ((previous === undefined || previous.configurable) && defineProperty(G, name, property)) {
        mapSet(declared, name, { __proto__: null, previous, get, older });
        // A function has its value from the start.
        if (older !== undefined) renewOne(name);
      } else {
        restoreVariable(name, older);
        warnOfHostName(name);
      }
    }
  };
  const constant = () => {
    throw new language.TypeError('Assignment to constant variable.');
  };

  /** What has not been on the global: name, number of the declaration and value of each. @type {any} */
  let kept;
  let lastReached = 0;
  const keep = (/** @type {number} */ reached, /** @type {any[]} */ bindings) => {
    lastReached = reached;
    kept = bindings;
  };
  const publishKept = () => {
    for (let i = 0; i < kept.length; i += 3) {
      const name = kept[i];
      const number = kept[i + 1];
      const value = kept[i + 2];
      const isConst = number < 0;
      if ((isConst ? -number : number) > lastReached) continue;
      if (number === 0) {
        // A `var` that has got no value leaves what was there before it.
        const previous = own(G, name);
        if (previous !== undefined && value === valueOf(name, previous)) continue;
      }
      const property = isConst
        ? { __proto__: null, get: () => value, set: constant, enumerable: true, configurable: true }
        : { __proto__: null, value, writable: true, enumerable: true, configurable: true };
      if (!defineProperty(G, name, property)) warnOfHostName(name);
    }
  };

  /** Stands for the value of a program that ends with a declaration: a promise that is only declared is not awaited. */
  const declaredValue = { __proto__: null, value: /** @type {any} */ (undefined) };
  const hold = (/** @type {any} */ value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value;
    declaredValue.value = value;
    return declaredValue;
  };

  const isDead = (/** @type {any} */ get) => {
    try {
      get();
      return false;
    } catch {
      // The getter only reads the binding, so what it throws is the temporal dead zone.
      return true;
    }
  };
  const settle = (/** @type {any} */ { previous, get, older }, /** @type {string} */ name) => {
    if (own(G, name)?.get !== get) return;
    if (!isDead(get)) {
      // What functions have written since the declaration passed its value on counts: `settleOne` looks which.
      if (mapGet(variables, name)?.isGiven === false) renewOne(name);
      return;
    }
    restoreVariable(name, older);
    if (previous === undefined) deleteProperty(G, name);
    else defineProperty(G, name, previous);
  };

  return {
    helpers: [declare, before, renew, keep, hold],
    declaredValue,
    begin() {
      mapClear(declared);
      renewed = bare();
      kept = undefined;
    },
    /** The run has ended: what it has reached stays, and what it has not leaves what was there before it. */
    finish() {
      mapForEach(declared, settle);
      mapClear(declared);
      mapForEach(variables, settleOne);
      if (kept !== undefined) publishKept();
      kept = undefined;
    },
  };
}

module.exports = { HELPERS, makeBindings };
