// `harden` as SES defines it. It freezes an object and everything reachable from it through own properties, accessors
// and prototypes. The walk is iterative. If a proxy throws, objects that were frozen by then are not recorded as
// hardened. Contents of Map and Set are not properties, so they are not reached.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p } = boot;
  const {
    arrayPop,
    arrayPush,
    defineProperty,
    freeze,
    getDescriptor,
    getPrototypeOf,
    isArray,
    isExtensible,
    isView,
    mapForEach,
    newSet,
    newWeakSet,
    ownKeys,
    preventExtensions,
    reflectDefine,
    setForEach,
    typedArrayLength,
    TypeError,
    values,
  } = p;
  const objectPrototype = Object.prototype;
  const { op_is_map, op_is_native_error, op_is_set, op_is_typed_array } = boot.ops;

  const hardened = newWeakSet();
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // V8 cannot freeze a typed array that has elements. Its other properties are made read-only one by one.
  const freezeTypedArray = (array) => {
    preventExtensions(array);
    const keys = ownKeys(array);
    // Own keys begin with the integer indices, which stay writable.
    for (let i = typedArrayLength(array); i < keys.length; i++) {
      const descriptor = getDescriptor(array, keys[i]);
      if (descriptor === undefined) continue;
      const fixed =
        "value" in descriptor
          ? { __proto__: null, writable: false, configurable: false }
          : { __proto__: null, configurable: false };
      if (!reflectDefine(array, keys[i], fixed)) throw new TypeError("Cannot harden a property of a typed array");
    }
  };

  // Freezes what is reachable from `root` and not in `known`; `skipped` objects are walked but not frozen.
  const freezeGraph = (root, known, skipped) => {
    const pending = newSet();
    const queue = [];
    const enqueue = (value) => {
      if (isObject(value) && !known.has(value) && !pending.has(value)) {
        pending.add(value);
        arrayPush(queue, value);
      }
    };
    enqueue(root);
    while (queue.length > 0) {
      const object = arrayPop(queue);
      const isTypedArray = isView(object) && op_is_typed_array(object);
      if (isTypedArray) freezeTypedArray(object);
      else if (skipped === undefined || !skipped.has(object)) freeze(object);
      enqueue(getPrototypeOf(object));
      const keys = ownKeys(object);
      for (let i = isTypedArray ? typedArrayLength(object) : 0; i < keys.length; i++) {
        const descriptor = getDescriptor(object, keys[i]);
        if (descriptor === undefined) continue;
        if ("value" in descriptor) {
          enqueue(descriptor.value);
        } else {
          enqueue(descriptor.get);
          enqueue(descriptor.set);
        }
      }
    }
    return pending;
  };

  const harden = {
    harden(root) {
      if (isObject(root) && !hardened.has(root)) {
        setForEach(freezeGraph(root, hardened), (object) => hardened.add(object));
      }
      return root;
    },
  }.harden;

  const headline = (error) => (error.message === "" ? error.name : `${error.name}: ${error.message}`);

  // The bridge removes the host's stack. Only its first line is left.
  const setStack = (error) => {
    defineProperty(error, "stack", { __proto__: null, value: headline(error), writable: true, configurable: true });
    return getDescriptor(error, "cause")?.value;
  };

  const freezeError = (error) => {
    const cause = setStack(error);
    freeze(error);
    return cause;
  };

  // Gives all errors in a value that structured clone has just made a stack. The value itself does not change.
  const setStacks = (root) => {
    const seen = newSet();
    const queue = [root];
    let length = 1;
    const enqueue = (value) => {
      if (typeof value === "object" && value !== null && !seen.has(value)) {
        seen.add(value);
        queue[length++] = value;
      }
    };
    while (length > 0) {
      const object = queue[--length];
      if (op_is_native_error(object)) {
        enqueue(setStack(object));
      } else if (op_is_map(object)) {
        mapForEach(object, (value, key) => {
          enqueue(key);
          enqueue(value);
        });
      } else if (op_is_set(object)) {
        setForEach(object, enqueue);
      } else if (!isView(object)) {
        const parts = values(object);
        for (let i = 0; i < parts.length; i++) enqueue(parts[i]);
      }
    }
    return root;
  };

  // `harden` for a value that structured clone has just made: no accessors except `stack`, no proxies, prototypes of
  // the realm. So "not extensible" can stand for "done". Values can be read without descriptors, and before the object
  // is frozen, when V8 reads them fastest. The queue is written by index, because the prototypes that could have
  // setters are frozen.
  const hardenFresh = (root) => {
    const queue = [root];
    let length = 1;
    while (length > 0) {
      const object = queue[--length];
      if (typeof object !== "object" || object === null || !isExtensible(object)) continue;
      if (isArray(object)) {
        const elements = values(object);
        for (let i = 0; i < elements.length; i++) {
          const value = elements[i];
          if (typeof value === "object" && value !== null) queue[length++] = value;
        }
        freeze(object);
      } else if (getPrototypeOf(object) === objectPrototype) {
        // The prototype has no enumerable properties.
        for (const key in object) {
          const value = object[key];
          if (typeof value === "object" && value !== null) queue[length++] = value;
        }
        freeze(object);
      } else if (isView(object) && op_is_typed_array(object)) {
        // Its elements cannot be frozen, and a fresh one has no other properties.
        preventExtensions(object);
      } else if (op_is_native_error(object)) {
        queue[length++] = freezeError(object);
      } else {
        freeze(object);
      }
    }
    return root;
  };

  boot.hardened = hardened;
  boot.freezeGraph = freezeGraph;
  boot.harden = harden;
  boot.hardenFresh = hardenFresh;
  boot.setStack = setStack;
  boot.setStacks = setStacks;
  boot.isObject = isObject;
})();
