// @ts-check
'use strict';

/**
 * The functions that programs call, in the order in which `makeBindings` returns them.
 * crates/prepare/src/transform/persistence.rs, cells.rs and completion.rs write these names.
 */
const HELPERS = ['__smol_declare', '__smol_before', '__smol_cell', '__smol_keep', '__smol_declared'];

/**
 * Defines the names that programs declare on the global, as crates/engine/js/30_guard.js does in isolates. Some names
 * cannot be replaced on a page, such as `top` or the name of a tool. The program can still declare such a name, but
 * only this program sees its variable.
 *
 * @param {import('./language').Language} language
 * @param {(text: string) => void} warn
 */
function makeBindings(language, warn) {
  const { Map, ReferenceError, defineProperty, deleteProperty, empty, freeze, has, mapClear, mapDelete, mapForEach } =
    language;
  const { mapGet, mapSet, own, ownKeys } = language;
  const G = globalThis;

  const warnOfHostName = (/** @type {string} */ name) =>
    warn(`'${name}' is provided by the host: this run's own '${name}' will not be seen by later runs.`);

  /** Name -> cell, see crates/engine/js/30_guard.js. */
  const variables = new Map();
  const holder = (/** @type {string} */ name, /** @type {any} */ get, /** @type {any} */ set) => {
    const prototype = { __proto__: null };
    defineProperty(prototype, name, { __proto__: null, get, set, enumerable: true, configurable: false });
    return freeze({ __proto__: freeze(prototype) });
  };
  const property = (/** @type {any} */ { get, set, isConst }) => ({
    __proto__: null,
    get,
    set: isConst || set === undefined ? constant : set,
    enumerable: true,
    configurable: true,
  });
  const restoreVariable = (/** @type {string} */ name, /** @type {any} */ older) =>
    older === undefined ? mapDelete(variables, name) : mapSet(variables, name, older);

  /** The initial value of a `var`: the value of the global with its name. Calls no guest code. */
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

  /** Name -> what the run has declared, and what the global had before. */
  const declared = new Map();
  /** Name -> variable that is not on the global yet, because the run has not reached its declaration. */
  const unreached = new Map();
  const declare = (
    /** @type {any} */ accessors,
    /** @type {string[]} */ vars,
    /** @type {string[]} */ constants,
    /** @type {string[]} */ late,
  ) => {
    const isVar = namesIn(vars);
    const isConstant = namesIn(constants);
    const isLate = namesIn(late);
    const awaited = empty();
    const names = ownKeys(accessors);
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      const { get, set } = own(accessors, name);
      const variable = newVariable(get, set, isConstant[name] === true);
      if (isLate[name] === true) {
        mapSet(unreached, name, (awaited[name] = variable));
        continue;
      }
      const previous = own(G, name);
      if (isVar[name] === true) {
        const value = valueOf(name, previous);
        if (value !== undefined) set(value);
      }
      publish(name, previous, variable);
    }
    return (/** @type {string} */ name) => reach(name, awaited[name]);
  };
  const newVariable = (/** @type {any} */ get, /** @type {any} */ set, /** @type {boolean} */ isConst) => ({
    __proto__: null,
    get,
    set,
    isConst,
    cell: undefined,
    reader: undefined,
  });
  const publish = (/** @type {string} */ name, /** @type {any} */ previous, /** @type {any} */ variable) => {
    const { get } = variable;
    if ((previous === undefined || previous.configurable) && defineProperty(G, name, property(variable))) {
      mapSet(declared, name, { __proto__: null, previous, get, older: mapGet(variables, name) });
      mapSet(variables, name, variable);
    } else {
      warnOfHostName(name);
    }
  };
  /**
   * Called when the run reaches the declaration of a late variable. Does nothing for variables of a run that has ended.
   */
  const reach = (/** @type {string} */ name, /** @type {any} */ variable) => {
    if (variable === undefined || mapGet(unreached, name) !== variable) return;
    mapDelete(unreached, name);
    publish(name, own(G, name), variable);
  };
  /**
   * A new variable where a cell was expected. The earlier program did not reach its declaration, or the name has been
   * given to something else since. Functions that use the name then see the values of the new variable.
   */
  const freshVariable = (/** @type {string} */ name, /** @type {any} */ previous, /** @type {string} */ kind) => {
    const setOlder = mapGet(variables, name)?.set;
    let value = kind === 'var' ? valueOf(name, previous) : undefined;
    let isDead = kind !== 'var';
    const get = () => {
      if (isDead) throw new ReferenceError(`Cannot access '${name}' before initialization`);
      return value;
    };
    const set = (/** @type {any} */ to) => {
      value = to;
      if (isDead) {
        isDead = false;
        reach(name, variable);
      }
      if (setOlder !== undefined) setOlder(to);
    };
    const variable = newVariable(freeze(get), freeze(set), kind === 'const');
    if (isDead) mapSet(unreached, name, variable);
    else publish(name, previous, variable);
    return variable;
  };
  /** Replaces a cell that no longer exists: reads and writes the global with the name. */
  const globalHolder = (/** @type {string} */ name) => {
    const check = () => {
      if (!has(G, name)) throw new ReferenceError(`${name} is not defined`);
    };
    const get = () => {
      check();
      return /** @type {any} */ (G)[name];
    };
    const set = (/** @type {any} */ to) => {
      check();
      /** @type {any} */ (G)[name] = to;
    };
    return holder(name, get, set);
  };
  let runs = 0;
  /**
   * The cell of a variable that is redeclared as a constant, or no longer as one. The change takes effect with the
   * value of the declaration.
   */
  const changingCell = (/** @type {string} */ name, /** @type {any} */ variable, /** @type {boolean} */ isConst) => {
    const run = runs;
    const change = (/** @type {any} */ to) => {
      variable.set(to);
      if (run !== runs || variable.isConst === isConst) return;
      variable.isConst = isConst;
      if (own(G, name)?.get === variable.get) defineProperty(G, name, property(variable));
    };
    return holder(name, variable.get, change);
  };
  /** The variable that was declared last. @type {any} */
  let latest;
  /**
   * The object through which a program reads and writes a cell. `kind` is the kind of the declaration, if the program
   * declares the name. "refused" stands for the constant that the previous call declared.
   */
  const cell = (/** @type {string} */ name, /** @type {string | undefined} */ kind) => {
    const previous = own(G, name);
    let variable = mapGet(variables, name);
    if (kind === 'refused') return (latest.reader ??= holder(name, latest.get, constant));
    const isGone = variable === undefined || previous === undefined || previous.get !== variable.get;
    if (kind === undefined) {
      if (isGone) return globalHolder(name);
      if (variable.isConst) return (variable.reader ??= holder(name, variable.get, constant));
    } else if (isGone || variable.set === undefined) {
      // A program that assigns to its own `const` has declared it permanently.
      variable = freshVariable(name, previous, kind);
    } else if (variable.isConst !== (kind === 'const')) {
      return changingCell(name, (latest = variable), kind === 'const');
    }
    latest = variable;
    return (variable.cell ??= holder(name, variable.get, variable.set));
  };
  const constant = () => {
    throw new language.TypeError('Assignment to constant variable.');
  };

  /**
   * Names that were not on the global during the run: the name, the number of the declaration and the value of each.
   * @type {any}
   */
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
        // A `var` without a value leaves the earlier value in place.
        const previous = own(G, name);
        if (previous !== undefined && value === valueOf(name, previous)) continue;
      }
      const property = isConst
        ? { __proto__: null, get: () => value, set: constant, enumerable: true, configurable: true }
        : { __proto__: null, value, writable: true, enumerable: true, configurable: true };
      if (!defineProperty(G, name, property)) warnOfHostName(name);
    }
  };

  /** Stands for the value of a program that ends with a declaration. A promise that is only declared is not awaited. */
  const declaredValue = { __proto__: null, value: /** @type {any} */ (undefined) };
  const hold = (/** @type {any} */ value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value;
    declaredValue.value = value;
    return declaredValue;
  };

  const isUninitialised = (/** @type {any} */ get) => {
    try {
      get();
      return false;
    } catch {
      // The getter only reads the binding, so it can only throw because the binding has no value yet.
      return true;
    }
  };
  /** Handles a destructuring pattern that failed: the names before the failure have their values. */
  const settleUnreached = (/** @type {any} */ variable, /** @type {string} */ name) => {
    if (!isUninitialised(variable.get)) publish(name, own(G, name), variable);
  };
  const settle = (/** @type {any} */ { previous, get, older }, /** @type {string} */ name) => {
    if (own(G, name)?.get !== get) return;
    if (!isUninitialised(get)) return;
    restoreVariable(name, older);
    if (previous === undefined) deleteProperty(G, name);
    else defineProperty(G, name, previous);
  };

  return {
    helpers: [declare, before, cell, keep, hold],
    declaredValue,
    /** Whether `get` is the getter of the guest's variable `name`. */
    isVariable: (/** @type {string} */ name, /** @type {any} */ get) => mapGet(variables, name)?.get === get,
    begin() {
      mapClear(declared);
      mapClear(unreached);
      kept = undefined;
      runs += 1;
    },
    /** Called when the run has ended. Names that the run has reached stay. All others get back what they had before. */
    finish() {
      mapForEach(unreached, settleUnreached);
      mapClear(unreached);
      mapForEach(declared, settle);
      mapClear(declared);
      if (kept !== undefined) publishKept();
      kept = undefined;
    },
  };
}

module.exports = { HELPERS, makeBindings };
