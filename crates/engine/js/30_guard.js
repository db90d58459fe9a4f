// The run's signals: loop guard, final answer, and the bindings that a program leaves on the global.
//
// `__smol_budget` and `__smol_done` are lexical variables of the script scope, declared by 90_seal.js. The budget
// starts with all iterations that the limit allows. Loops decrement it inline (crates/prepare/src/transform/guards.rs).
// The ops record the outcome itself. A signal only unwinds the guest's stack, so a guest that catches or forges one
// gains nothing.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p } = boot;
  const { arrayPush, defineProperty, Error, freeze, getDescriptor, isExtensible } = p;
  const { newMap, newWeakSet, ownKeys, ReferenceError, reflectDefine, reflectDelete, reflectHas, TypeError } = p;
  const { op_final, op_guard_exceeded, op_swallowed, op_thrown } = boot.ops;

  // The least number of iterations that guest code may take after the end of its run.
  const READING_BUDGET = 10_000;

  // Iterations that modules may take while a run loads them, in addition to the run's own. No library takes as many,
  // and an infinite loop ends within a tenth of a second.
  const LOADING_BUDGET = 10_000_000;

  // More than a run can take, and exact: infinity cannot be counted down.
  const MOST_OPERATIONS = 2 ** 53 - 1;

  const constant = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: false, enumerable: true, configurable: false });

  class FinalAnswerSignal extends Error {
    constructor(value) {
      super("final_answer");
      constant(this, "name", "FinalAnswerSignal");
      constant(this, "value", value);
      freeze(this);
    }
  }

  class MaxOperationsExceededError extends Error {
    constructor(limit) {
      super(`Max operations exceeded (${limit})`);
      constant(this, "name", "MaxOperationsExceededError");
      constant(this, "code", "ERR_MAX_OPS_EXCEEDED");
      constant(this, "limit", limit);
      freeze(this);
    }
  }

  // The signal that this run throws from now on; undefined while `__smol_done` is false.
  let signal;
  // The signals of all runs.
  const signals = newWeakSet();
  const asSignal = (error) => {
    signals.add(error);
    return error;
  };
  let operationLimit = 0;
  // The run's answer is recorded or being recorded.
  let isAnswered = false;
  // The answer is a promise whose code goes on. Its loops count, and it can catch everything except the signal.
  let isAwaited = false;
  // The host reads values of the run. An exception of guest code meanwhile, even a signal, only fails the reading.
  let isReading = false;
  // The value of `__smol_budget` when a final answer set it to 0.
  let unusedBudget;
  // The part of `LOADING_BUDGET` that is left for the run's modules.
  let loadingBudget = 0;
  // The module that is being loaded, by the name that the program has imported.
  let loading;
  // Bindings that this run declared: name -> the earlier property, the binding's getter, and the earlier meaning of the
  // name.
  const declared = newMap();
  // Variables that are not on the global yet because the run has not reached their declarations, by name.
  const unreached = newMap();
  // Bindings that the program has handed over. Later runs get those that it reached
  // (crates/prepare/src/transform/persistence.rs).
  let kept;
  let lastReached = 0;

  const rethrow = (caught) => {
    if (!isAwaited || caught === signal) throw signal;
  };

  // Called when the budget is below 0. `left`: the unused part of the budget of a loop that counts by itself. If it is
  // below 0, the loop would start an iteration that is not allowed.
  const guard = (left) => {
    if (__smol_done && !isAwaited) {
      // The iterations of such a loop when the signal leaves it.
      if (unusedBudget !== undefined) unusedBudget += __smol_budget;
      __smol_budget = 0;
      if (left >= 0) return;
      op_swallowed();
      throw signal;
    }
    const limit = loading === undefined ? operationLimit : LOADING_BUDGET;
    op_guard_exceeded(limit, loading);
    // The signal is set before the flags: code that reads the flags throws the signal.
    signal = asSignal(new MaxOperationsExceededError(limit));
    isAwaited = false;
    __smol_done = true;
    __smol_budget = 0;
    throw signal;
  };

  // Records a value that guest code throws, on its way. Only errors know where they come from.
  const thrown = (value) => {
    op_thrown(value);
    return value;
  };

  // Runs `load` of a module. Its iterations do not count for the program, whose budget stays as it is.
  const forModule = (name, load) => {
    if (loading !== undefined) return load();
    const left = __smol_budget;
    __smol_budget = loadingBudget;
    loading = name;
    try {
      return load();
    } finally {
      loading = undefined;
      loadingBudget = __smol_budget;
      if (!__smol_done || isAwaited) __smol_budget = left;
      else unusedBudget = left;
    }
  };

  const finalAnswer = {
    final_answer(value) {
      // The code of a promise that was the answer may give another answer.
      if (isAwaited) isAnswered = isAwaited = __smol_done = false;
      if (__smol_done) {
        op_swallowed();
        throw signal;
      }
      if (isAnswered) throw signal;
      signal = asSignal(new FinalAnswerSignal(value));
      // Set before the op: if recording runs guest code, a second call there must not count.
      isAnswered = true;
      isAwaited = op_final(value);
      __smol_done = true;
      if (isAwaited) throw signal;
      // A loop that goes on in spite of the signal reaches the guard immediately.
      unusedBudget = __smol_budget;
      __smol_budget = 0;
      throw signal;
    },
  }.final_answer;

  // Warns that the global does not accept a binding that a run has declared.
  const warnOfName = (name) => {
    const reason = isExtensible(globalThis)
      ? `'${name}' is provided by the host`
      : "Code of this session has fixed its global object";
    boot.warn(`${reason}: this run's own '${name}' will not be seen by later runs.`);
  };

  // Cells (crates/prepare/src/transform/cells.rs): the current variables of the names that programs have declared, by
  // name. `get` is the getter on the global. `cell` and `reader` are objects with accessors on their prototypes.
  // `reader` is for constants, in programs that do not declare them.
  const variables = newMap();

  // An object with the accessors of a name on its prototype. V8 finds them there with a single comparison.
  const holder = (name, get, set) => {
    const prototype = { __proto__: null };
    defineProperty(prototype, name, { __proto__: null, get, set, enumerable: true, configurable: false });
    return freeze({ __proto__: freeze(prototype) });
  };

  const refuse = freeze(() => {
    throw new TypeError("Assignment to constant variable.");
  });

  const property = ({ get, set, isConst }) => ({
    __proto__: null,
    get,
    set: isConst || set === undefined ? refuse : set,
    enumerable: true,
    configurable: true,
  });

  const isUninitialised = (get) => {
    try {
      get();
      return false;
    } catch {
      // The getter only reads the binding, so an exception means the temporal dead zone.
      return true;
    }
  };

  // The initial value of a `var`: the value that the global has under its name.
  const valueOf = (name, previous) => {
    if (previous === undefined) return undefined;
    const { get, value } = previous;
    // No guest code is called.
    return get === undefined ? value : get === variables.get(name)?.get ? get() : undefined;
  };
  const before = (name) => valueOf(name, getDescriptor(globalThis, name));

  const namesIn = (list) => {
    const names = { __proto__: null };
    if (list !== undefined) {
      for (let i = 0; i < list.length; i++) names[list[i]] = true;
    }
    return names;
  };

  // Installs a run's top-level bindings on the global for later runs. `late`: bindings that do not exist before their
  // declarations are reached. The program calls the returned function for each of them.
  const declare = (accessors, vars, constants, late) => {
    const isVar = namesIn(vars);
    const isConstant = namesIn(constants);
    const isLate = namesIn(late);
    const awaited = { __proto__: null };
    const names = ownKeys(accessors);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const { get, set } = getDescriptor(accessors, name);
      const variable = newVariable(get, set, isConstant[name] === true);
      if (isLate[name] === true) {
        unreached.set(name, (awaited[name] = variable));
        continue;
      }
      const previous = getDescriptor(globalThis, name);
      if (isVar[name] === true) {
        const value = valueOf(name, previous);
        if (value !== undefined) set(value);
      }
      publish(name, previous, variable);
    }
    return (name) => reach(name, awaited[name]);
  };

  const newVariable = (get, set, isConst) => ({
    __proto__: null,
    get,
    set,
    isConst,
    cell: undefined,
    reader: undefined,
  });

  const publish = (name, previous, variable) => {
    const accessors = property(variable);
    const isFree = previous === undefined || previous.configurable;
    if (isFree && reflectDefine(globalThis, name, accessors)) {
      declared.set(name, { __proto__: null, previous, property: accessors, older: variables.get(name) });
      variables.set(name, variable);
    } else {
      warnOfName(name);
    }
  };

  // Called when the declaration of a late variable is reached. Does nothing for a run that has ended.
  const reach = (name, variable) => {
    if (variable === undefined || unreached.get(name) !== variable) return;
    unreached.delete(name);
    publish(name, getDescriptor(globalThis, name), variable);
  };

  // A variable that is declared where a cell was expected. The earlier program has not reached its declaration, or the
  // name has been reassigned since. Functions that use the old variable then get the values of the new one.
  const freshVariable = (name, previous, kind) => {
    const older = variables.get(name);
    const setOlder = older?.set;
    let value = kind === "var" ? valueOf(name, previous) : undefined;
    let isDead = kind !== "var";
    const get = freeze(() => {
      if (isDead) throw new ReferenceError(`Cannot access '${name}' before initialization`);
      return value;
    });
    const set = freeze((to) => {
      value = to;
      if (isDead) {
        isDead = false;
        reach(name, variable);
      }
      if (setOlder !== undefined) setOlder(to);
    });
    const variable = newVariable(get, set, kind === "const");
    noteEarlier(name, variable);
    // After the new one, which sets it too.
    if (setOlder !== undefined) noteEarlier(name, older);
    if (isDead) unreached.set(name, variable);
    else publish(name, previous, variable);
    return variable;
  };

  // Replaces a cell that is gone: reads and writes the property of this name on the global.
  const globalHolder = (name) => {
    const check = () => {
      if (!reflectHas(globalThis, name)) throw new ReferenceError(`${name} is not defined`);
    };
    const get = () => {
      check();
      return globalThis[name];
    };
    const set = (to) => {
      check();
      // For a constant that no other code has met (`publishKept`), V8 would report a property of an object.
      if (getDescriptor(globalThis, name)?.writable === false) refuse();
      globalThis[name] = to;
    };
    return holder(name, freeze(get), freeze(set));
  };

  // A read-only view of a constant.
  const readerOf = (name, variable) => (variable.reader ??= holder(name, variable.get, refuse));

  // The most recently declared variable.
  let latest;
  // Earlier values of variables from earlier runs that this run assigns by its declarations, and variables that it has
  // made for that.
  const earlier = [];
  let runs = 0;

  const noteEarlier = (name, variable) => {
    const { get, isConst } = variable;
    arrayPush(earlier, { __proto__: null, name, variable, value: isUninitialised(get) ? undefined : get(), isConst });
  };

  const restoreEarlier = ({ name, variable, value, isConst }) => {
    variable.set(value);
    setKind(name, variable, isConst);
  };

  const setKind = (name, variable, isConst) => {
    if (variable.isConst === isConst) return;
    variable.isConst = isConst;
    if (getDescriptor(globalThis, name)?.get === variable.get) reflectDefine(globalThis, name, property(variable));
  };

  // The cell of a variable that is redeclared as a constant, or as a variable. It changes when the declaration gets its
  // value.
  const changingCell = (name, variable, isConst) => {
    const { get, set } = variable;
    const run = runs;
    const change = (to) => {
      set(to);
      if (run === runs) setKind(name, variable, isConst);
    };
    return holder(name, get, freeze(change));
  };

  // The object through which a program reads and writes a cell. `kind`: how the program declares the name, if it does.
  // "refused" is for a constant whose declaration the previous call was for.
  const cell = (name, kind) => {
    const previous = getDescriptor(globalThis, name);
    let variable = variables.get(name);
    if (kind === "refused") return readerOf(name, latest);
    const isGone = variable === undefined || previous === undefined || previous.get !== variable.get;
    if (kind === undefined) {
      if (isGone) return globalHolder(name);
      if (variable.isConst) return readerOf(name, variable);
    } else if (isGone || variable.set === undefined) {
      // A program that writes to its own constant has already made it a constant for good.
      variable = freshVariable(name, previous, kind);
    } else {
      noteEarlier(name, variable);
      const isConst = kind === "const";
      if (variable.isConst !== isConst) return changingCell(name, (latest = variable), isConst);
    }
    latest = variable;
    return (variable.cell ??= holder(name, variable.get, variable.set));
  };

  const restoreVariable = (name, older) => {
    if (older === undefined) variables.delete(name);
    else variables.set(name, older);
  };

  // Takes the values of a program's other bindings: the name, the number of the declaration, and the value of each.
  const keep = (reached, bindings) => {
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
        // A `var` without a value leaves the earlier property in place.
        const previous = getDescriptor(globalThis, name);
        if (previous !== undefined && value === valueOf(name, previous)) continue;
      }
      const property = { __proto__: null, value, writable: !isConst, enumerable: true, configurable: true };
      if (!reflectDefine(globalThis, name, property)) warnOfName(name);
    }
  };

  // The value of a program that ends with a declaration. It is wrapped so that nothing awaits it and reads its `then`
  // before the host takes it out again.
  const declaredValue = { __proto__: null, value: undefined };
  const holdDeclared = (value) => {
    if ((typeof value !== "object" || value === null) && typeof value !== "function") return value;
    declaredValue.value = value;
    return declaredValue;
  };

  // A binding that the run never reached leaves the earlier property in place.
  const restore = (name, { previous, property: { get }, older }, isForgotten) => {
    if (getDescriptor(globalThis, name)?.get !== get) return;
    if (!isForgotten && !isUninitialised(get)) return;
    restoreVariable(name, older);
    if (previous === undefined) reflectDelete(globalThis, name);
    else reflectDefine(globalThis, name, previous);
  };

  // A pattern that failed in its middle has already assigned the names before that point.
  const settleUnreached = (isForgotten) => {
    p.mapForEach(unreached, (variable, name) => {
      if (!isForgotten && !isUninitialised(variable.get)) publish(name, getDescriptor(globalThis, name), variable);
    });
    p.emptyMap(unreached);
  };

  // `limit` of a run without a limit: infinity. Functions of other runs, and modules, count nevertheless.
  boot.begin = (limit) => {
    const isLimited = limit <= MOST_OPERATIONS;
    signal = undefined;
    operationLimit = limit;
    loadingBudget = isLimited ? LOADING_BUDGET : MOST_OPERATIONS;
    isAnswered = false;
    isAwaited = false;
    // A terminated run has not reset this.
    isReading = false;
    loading = undefined;
    boot.joining.length = 0;
    declaredValue.value = undefined;
    unusedBudget = undefined;
    p.emptyMap(declared);
    p.emptyMap(unreached);
    earlier.length = 0;
    runs += 1;
    kept = undefined;
    __smol_budget = isLimited ? limit : MOST_OPERATIONS;
    __smol_done = false;
  };

  // Settles which bindings of the run stay: those that it reached, or none. Returns the unused part of the budget.
  boot.finish = (forgetDeclared) => {
    const remaining = unusedBudget ?? __smol_budget;
    if (unreached.size > 0) settleUnreached(forgetDeclared);
    if (declared.size > 0) p.mapForEach(declared, (binding, name) => restore(name, binding, forgetDeclared));
    p.emptyMap(declared);
    if (forgetDeclared) {
      for (let i = 0; i < earlier.length; i++) restoreEarlier(earlier[i]);
    }
    earlier.length = 0;
    if (kept !== undefined && !forgetDeclared) publishKept();
    kept = undefined;
    signal = undefined;
    isAwaited = false;
    __smol_done = false;
    // For getters and inspect.custom methods of the output, which the host reads after the run.
    __smol_budget = remaining > READING_BUDGET ? remaining : READING_BUDGET;
    return remaining;
  };

  // Runs `read` for the host.
  boot.reading = (read, value) => {
    isReading = true;
    try {
      return read(value);
    } finally {
      isReading = false;
    }
  };

  // For bootstrap code that has caught something: rethrows the run's signal, if there is one.
  boot.rethrowSignal = (caught) => {
    if (__smol_done && signal !== undefined && !isReading) rethrow(caught);
  };

  // Whether `get` only reads what the guest means by `name`.
  boot.isVariable = (name, get) => variables.get(name)?.get === get;

  boot.isSignal = (value) => signals.has(value);

  boot.guard = guard;
  boot.rethrow = rethrow;
  boot.thrown = thrown;
  boot.forModule = forModule;
  boot.declare = declare;
  boot.before = before;
  boot.cell = cell;
  boot.declaredValue = declaredValue;
  boot.holdDeclared = holdDeclared;
  boot.keep = keep;
  boot.finalAnswer = finalAnswer;
  boot.toHarden.push(FinalAnswerSignal, MaxOperationsExceededError);
})();
