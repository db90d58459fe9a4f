// What the host reads from the realm: texts for values of any kind, and stand-ins for what structured clone refuses.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types } = boot;
  const {
    arrayBufferDetached, arrayPop, arrayPush, dataViewBuffer, defineProperty, Error, getDescriptor,
    getPrototypeOf, isArray, isView, keys, Map, mapForEach, mapSet, newMap, Set, setAdd, setForEach,
    typedArrayBuffer,
  } = p;

  // Text of `value` as the console prints it. Throws only the run's own signal.
  const inspect = (value) => {
    try {
      return boot.inspect(value);
    } catch (error) {
      boot.rethrowSignal();
      return `[inspection failed: ${describe(error)}]`;
    }
  };

  // One line for a thrown value, without running more of the guest than its `message`.
  const describe = (error) => {
    try {
      if (typeof error === "object" && error !== null) return `${error.message}`;
      return typeof error === "symbol" ? "Symbol()" : `${error}`;
    } catch {
      return "unknown";
    }
  };

  const property = (object, key) => {
    try {
      return object[key];
    } catch {
      boot.rethrowSignal();
      return undefined;
    }
  };

  // [name, message, stack] of a thrown value for an error report; undefined where there is no string.
  const describeError = (error) => {
    if (!boot.isObject(error) || types.isProxy(error)) return [undefined, inspect(error), undefined];
    const text = (key) => {
      const value = property(error, key);
      return typeof value === "string" ? value : undefined;
    };
    const message = text("message");
    if (message === undefined && !types.isNativeError(error)) return [text("name"), inspect(error), text("stack")];
    return [text("name"), message ?? "", text("stack")];
  };

  const MAX_DEPTH = 1_000;
  const MAX_NODES = 1_000_000;
  // Texts beyond this number are the short ones that inspect prints at the end of its depth.
  const MAX_TEXTS = 10_000;

  const setHidden = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  const isDetached = (value) => {
    const buffer = !isView(value) ? value : types.isDataView(value) ? dataViewBuffer(value) : typedArrayBuffer(value);
    return types.isArrayBuffer(buffer) && arrayBufferDetached(buffer);
  };

  // A DataView over a detached buffer throws when asked for it.
  const isCloneableBuffer = (value) => {
    try {
      return !isDetached(value);
    } catch {
      return false;
    }
  };

  // Kept as they are: V8's serializer takes them.
  const isCloneableLeaf = (value) =>
    types.isDate(value) || types.isRegExp(value) ||
    (types.isBoxedPrimitive(value) && !types.isSymbolObject(value)) ||
    ((isView(value) || types.isAnyArrayBuffer(value)) && isCloneableBuffer(value));

  // Instances of guest classes and plain objects; not those of built-in classes that carry internal state.
  const isPlain = (value) => {
    if (types.isModuleNamespaceObject(value) || types.isArgumentsObject(value)) return true;
    if (
      types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value) || isView(value) ||
      types.isAnyArrayBuffer(value) || types.isBoxedPrimitive(value)
    ) return false;
    let prototype = getPrototypeOf(value);
    for (let depth = 0; prototype !== null && depth < MAX_DEPTH; depth++) {
      if (types.isProxy(prototype)) return true;
      if (prototype === boot.objectPrototype) return true;
      // The first built-in on the way up decides.
      if (boot.hardened.has(prototype) && boot.intrinsics.has(prototype)) return false;
      prototype = getPrototypeOf(prototype);
    }
    return true;
  };

  // A copy of `root` that structured clone takes: what it refuses becomes what inspect prints. Never throws except
  // the run's own signal; work is bounded by MAX_NODES.
  const toCloneable = (root) => {
    const copies = newMap();
    const queue = [];
    let nodes = 0;
    let texts = 0;

    const shortText = (value) => {
      if (typeof value === "function") return "[Function]";
      if (typeof value === "symbol") return "Symbol()";
      return isArray(value) ? "[Array]" : "[Object]";
    };
    const text = (value) => (++texts > MAX_TEXTS ? shortText(value) : inspect(value));

    const convert = (value, depth) => {
      if (typeof value === "symbol" || typeof value === "function") return text(value);
      if (typeof value !== "object" || value === null) return value;
      if (types.isProxy(value)) return text(value);
      const known = copies.get(value);
      if (known !== undefined) return known;
      if (depth > MAX_DEPTH || nodes > MAX_NODES) return shortText(value);
      nodes++;
      let copy;
      if (isCloneableLeaf(value)) return value;
      else if (isArray(value)) copy = [];
      else if (types.isMap(value)) copy = new Map();
      else if (types.isSet(value)) copy = new Set();
      else if (types.isNativeError(value)) copy = copyError(value);
      else if (isPlain(value)) copy = { __proto__: null };
      else return text(value);
      copies.set(value, copy);
      arrayPush(queue, value, copy, depth + 1);
      return copy;
    };

    const copyError = (error) => {
      const { 0: name, 1: message, 2: stack } = describeError(error);
      const copy = new Error(message);
      if (name !== undefined) setHidden(copy, "name", name);
      setHidden(copy, "stack", stack ?? `${name ?? "Error"}: ${message}`);
      return copy;
    };

    const fillProperties = (value, copy, depth) => {
      const names = keys(value);
      if (isArray(value)) copy.length = value.length;
      for (let i = 0; i < names.length; i++) {
        if (++nodes > MAX_NODES) return;
        const descriptor = getDescriptor(value, names[i]);
        if (descriptor === undefined) continue;
        let item = descriptor.value;
        if (descriptor.get !== undefined) {
          try {
            item = value[names[i]];
          } catch {
            boot.rethrowSignal();
            copy[names[i]] = descriptor.set === undefined ? "[Getter]" : "[Getter/Setter]";
            continue;
          }
        }
        copy[names[i]] = convert(item, depth);
      }
    };

    const fill = (value, copy, depth) => {
      if (types.isMap(value)) {
        mapForEach(value, (item, key) => {
          if (++nodes <= MAX_NODES) mapSet(copy, convert(key, depth), convert(item, depth));
        });
      } else if (types.isSet(value)) {
        setForEach(value, (item) => {
          if (++nodes <= MAX_NODES) setAdd(copy, convert(item, depth));
        });
      } else if (types.isNativeError(value)) {
        const cause = getDescriptor(value, "cause");
        if (cause !== undefined) {
          const item = convert(property(value, "cause"), depth);
          setHidden(copy, "cause", item);
        }
      } else {
        fillProperties(value, copy, depth);
      }
    };

    try {
      const copy = convert(root, 0);
      while (queue.length > 0) {
        const depth = arrayPop(queue);
        const target = arrayPop(queue);
        fill(arrayPop(queue), target, depth);
      }
      return copy;
    } catch (error) {
      boot.rethrowSignal();
      return `[inspection failed: ${describe(error)}]`;
    }
  };

  boot.describe = describe;
  boot.describeError = describeError;
  boot.inspectValue = inspect;
  boot.toCloneable = toCloneable;
  boot.objectPrototype = Object.prototype;
})();
