// @ts-check
'use strict';

/**
 * What programs call, by the names that crates/prepare/src/transform/persistence.rs, cells.rs and completion.rs write, in the order in which
 * `makeBindings` gives them.
 */
const HELPERS = ['__smol_declare', '__smol_before', '__smol_cell', '__smol_keep', '__smol_declared'];

/**
 * The names that programs declare, on the global: as crates/engine/js/30_guard.js does it for isolates. Names that a page does not
 * give up, such as `top` or that of a tool, are the program's own all the same, and nobody else's.
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

  /** Cells, by name: see crates/engine/js/30_guard.js. */
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
  /** Variables that the run has not put on the global yet, since it has not reached their declarations: by name. */
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
  /** The declaration of a late variable is reached. Nothing is done about those of a run that has ended. */
  const reach = (/** @type {string} */ name, /** @type {any} */ variable) => {
    if (variable === undefined || mapGet(unreached, name) !== variable) return;
    mapDelete(unreached, name);
    publish(name, own(G, name), variable);
  };
  /**
   * A variable that is declared where a cell was expected: the program before has not reached its declaration, or the name has been
   * given to something else since. Then what functions mean by it gets the values of the new one.
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
  /** What stands for a cell that is gone: whatever the global has by the name. */
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
  /** The cell of a variable that is declared anew as a constant, or as none: it becomes that with the value of its declaration. */
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
   * The object by which a program reads and writes a cell. `kind`: how it declares the name, if it does; "refused": as a constant, whose
   * declaration the call before was for.
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

  const isUninitialised = (/** @type {any} */ get) => {
    try {
      get();
      return false;
    } catch {
      // The getter only reads the binding, so what it throws is the temporal dead zone.
      return true;
    }
  };
  /** A pattern that failed in its middle has given values to the names before that. */
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
    /** Whether `get` only reads what the guest means by `name`. */
    isVariable: (/** @type {string} */ name, /** @type {any} */ get) => mapGet(variables, name)?.get === get,
    begin() {
      mapClear(declared);
      mapClear(unreached);
      kept = undefined;
      runs += 1;
    },
    /** The run has ended: what it has reached stays, and what it has not leaves what was there before it. */
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
