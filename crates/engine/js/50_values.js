// Prepares values of the realm for the host: strings for values of any kind, and substitutes for values that structured
// clone refuses.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types } = boot;
  const {
    arrayBufferDetached,
    arrayPop,
    arrayPush,
    dataViewBuffer,
    defineProperty,
    Error,
    getDescriptor,
    getPrototypeOf,
    isArray,
    isView,
    jsonStringify,
    keys,
    Map,
    mapForEach,
    mapSet,
    newMap,
    newSet,
    regExpTest,
    Set,
    setAdd,
    setForEach,
    typedArrayBuffer,
  } = p;

  // The string that the console prints for `value`. Throws only the run's own signal.
  const inspect = (value) => {
    try {
      return boot.inspect(value);
    } catch (error) {
      boot.rethrowSignal(error);
      return `[inspection failed: ${describe(error)}]`;
    }
  };

  // One line for a thrown value. Runs no guest code except a getter for `message`.
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
    } catch (error) {
      boot.rethrowSignal(error);
      return undefined;
    }
  };

  // [name, message, stack] of a thrown value for an error report. A part that is not a string is undefined.
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
  // After this many strings, the short form is used that inspect prints at its maximum depth.
  const MAX_TEXTS = 10_000;

  const MAX_SEARCHED = 10_000;

  const setHidden = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  const isDetached = (value) => {
    const buffer = !isView(value) ? value : types.isDataView(value) ? dataViewBuffer(value) : typedArrayBuffer(value);
    return types.isArrayBuffer(buffer) && arrayBufferDetached(buffer);
  };

  // A DataView throws here if its buffer is detached.
  const isCloneableBuffer = (value) => {
    try {
      return !isDetached(value);
    } catch {
      return false;
    }
  };

  // V8's serializer accepts these values as they are.
  const isCloneableLeaf = (value) =>
    types.isDate(value) ||
    types.isRegExp(value) ||
    (types.isBoxedPrimitive(value) && !types.isSymbolObject(value)) ||
    ((isView(value) || types.isAnyArrayBuffer(value)) && isCloneableBuffer(value));

  // Whether `value` is a plain object or an instance of a guest class. Instances of built-in classes with internal
  // state are not.
  const isPlain = (value) => {
    if (types.isModuleNamespaceObject(value) || types.isArgumentsObject(value)) return true;
    if (
      types.isPromise(value) ||
      types.isWeakMap(value) ||
      types.isWeakSet(value) ||
      isView(value) ||
      types.isAnyArrayBuffer(value) ||
      types.isBoxedPrimitive(value)
    )
      return false;
    let prototype = getPrototypeOf(value);
    for (let depth = 0; prototype !== null && depth < MAX_DEPTH; depth++) {
      if (types.isProxy(prototype)) return true;
      if (prototype === boot.objectPrototype) return true;
      // The first built-in in the prototype chain decides.
      if (boot.hardened.has(prototype) && boot.intrinsics.has(prototype)) return false;
      prototype = getPrototypeOf(prototype);
    }
    return true;
  };

  // The empty start of a copy of a list, a map, a set or a plain object. Undefined for other values.
  const emptyLike = (value) => {
    if (isArray(value)) return [];
    if (types.isMap(value)) return new Map();
    if (types.isSet(value)) return new Set();
    return isPlain(value) ? { __proto__: null } : undefined;
  };

  // A copy of `root` that structured clone accepts. Values that it refuses become the string that inspect prints.
  // Throws only the run's own signal. MAX_NODES bounds the work.
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
      const substitute = boot.substituteOf(value);
      if (substitute !== undefined) return substitute;
      if (isCloneableLeaf(value)) return value;
      const copy = types.isNativeError(value) ? copyError(value) : emptyLike(value);
      if (copy === undefined) return text(value);
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
          } catch (error) {
            boot.rethrowSignal(error);
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
      boot.rethrowSignal(error);
      return `[inspection failed: ${describe(error)}]`;
    }
  };

  // Whether values with substitutes, such as URLs and blobs, are among the first MAX_SEARCHED parts of `root`.
  // Structured clone would treat them as objects without their content. Runs no guest code.
  const hasSubstituted = (root) => {
    const seen = newSet();
    const queue = [];
    let isFound = false;
    const enqueue = (value) => {
      if (!boot.isObject(value) || types.isProxy(value) || isView(value) || seen.has(value)) return;
      isFound ||= boot.substituteOf(value) !== undefined;
      seen.add(value);
      arrayPush(queue, value);
    };
    enqueue(root);
    for (let at = 0; at < queue.length && !isFound && queue.length <= MAX_SEARCHED; at++) {
      const value = queue[at];
      if (types.isMap(value)) {
        mapForEach(value, (item, key) => {
          enqueue(key);
          enqueue(item);
        });
      } else if (types.isSet(value)) {
        setForEach(value, enqueue);
      } else {
        const names = keys(value);
        for (let i = 0; i < names.length && i < MAX_SEARCHED; i++) enqueue(getDescriptor(value, names[i])?.value);
      }
    }
    return isFound;
  };

  // An output. If it contains values with substitutes, such as URLs and blobs, a copy with the substitutes instead.
  const withSubstitutes = (output) => (hasSubstituted(output) ? toCloneable(output) : output);

  // `args`, an array of arguments. If it contains values with substitutes, such as URLs and blobs, a copy with these
  // instead. Values that structured clone refuses stay as they are, and so do getters. Runs no guest code.
  const argumentsWithSubstitutes = (args) => {
    if (!hasSubstituted(args)) return args;
    const copies = newMap();
    const queue = [];
    const convert = (value) => {
      if (!boot.isObject(value) || types.isProxy(value)) return value;
      const done = boot.substituteOf(value) ?? copies.get(value);
      if (done !== undefined) return done;
      const copy = types.isNativeError(value) ? undefined : emptyLike(value);
      if (copy === undefined) return value;
      copies.set(value, copy);
      arrayPush(queue, value, copy);
      return copy;
    };
    const converted = convert(args);
    while (queue.length > 0) {
      const copy = arrayPop(queue);
      const value = arrayPop(queue);
      if (types.isMap(value)) mapForEach(value, (item, key) => mapSet(copy, convert(key), convert(item)));
      else if (types.isSet(value)) setForEach(value, (item) => setAdd(copy, convert(item)));
      else {
        if (isArray(value)) copy.length = value.length;
        const names = keys(value);
        for (let i = 0; i < names.length; i++) {
          const { enumerable, get, value: item } = getDescriptor(value, names[i]);
          const part = get === undefined ? { value: convert(item), writable: true } : { get };
          defineProperty(copy, names[i], { __proto__: null, ...part, enumerable, configurable: true });
        }
      }
    }
    return converted;
  };

  const isIdentifier = (key) => regExpTest(/^[A-Za-z_$][\w$]*$/, key);

  // Whether structured clone accepts `value` itself, or its substitute, regardless of its parts.
  const isCloneable = (value) => {
    if (typeof value === "symbol" || typeof value === "function") return false;
    if (typeof value !== "object" || value === null) return true;
    if (types.isProxy(value)) return false;
    return (
      boot.substituteOf(value) !== undefined ||
      isCloneableLeaf(value) ||
      isArray(value) ||
      types.isMap(value) ||
      types.isSet(value) ||
      types.isNativeError(value) ||
      isPlain(value)
    );
  };

  // The path of the first part of `args`, an array of arguments, that structured clone refuses, such as
  // `[0].list[2].callback`. Undefined if there is none. Checks at most MAX_NODES parts.
  const uncloneablePath = (args) => {
    const seen = newSet();
    const queue = [args, ""];
    const enqueue = (value, path) => {
      if (!isCloneable(value)) return true;
      if (boot.isObject(value) && !seen.has(value) && !isCloneableLeaf(value) && seen.size < MAX_NODES) {
        seen.add(value);
        arrayPush(queue, value, path);
      }
      return false;
    };
    // Breadth first: of several refused parts, the outermost is reported.
    for (let at = 0; at < queue.length; at += 2) {
      const value = queue[at];
      const path = queue[at + 1];
      let found;
      const visit = (part, step) => {
        if (found === undefined && enqueue(part, `${path}${step}`)) found = `${path}${step}`;
      };
      if (types.isMap(value)) {
        mapForEach(value, (item, key) => {
          visit(key, ".keys()");
          visit(item, typeof key === "string" ? `.get(${jsonStringify(key)})` : ".values()");
        });
      } else if (types.isSet(value)) {
        setForEach(value, (item) => visit(item, ".values()"));
      } else if (types.isNativeError(value)) {
        if (getDescriptor(value, "cause") !== undefined) visit(property(value, "cause"), ".cause");
      } else {
        const names = keys(value);
        const isList = isArray(value);
        for (let i = 0; i < names.length && found === undefined; i++) {
          const name = names[i];
          const step = isList ? `[${name}]` : isIdentifier(name) ? `.${name}` : `[${jsonStringify(name)}]`;
          try {
            visit(value[name], step);
          } catch (error) {
            boot.rethrowSignal(error);
            return `${path}${step}`;
          }
        }
      }
      if (found !== undefined) return found;
    }
    return undefined;
  };

  boot.describe = describe;
  boot.inspectValue = inspect;
  boot.toCloneable = toCloneable;
  boot.argumentsWithSubstitutes = argumentsWithSubstitutes;
  boot.withSubstitutes = withSubstitutes;
  boot.uncloneablePath = uncloneablePath;
  boot.objectPrototype = Object.prototype;
})();
