// Guest code: `sdk` in both styles, and `utils.parallel`. `host` are the tools of `../isolate.js`. Nothing here has
// to be safe from guests: the host checks and counts every call.
(host, sources) => {
  const { defineProperty, freeze, getOwnPropertyDescriptor, hasOwn, isExtensible } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { isSafeInteger } = Number;
  const { btoa } = globalThis;
  const { call, callLater, start, next, take } = host;

  // The last argument of a call whose ticket a compiled function waits for.
  const later = freeze({ __proto__: null });

  // A copy of the bytes that a value is, if it is some.
  const bytesOf = (value) => {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (!isView(value)) return undefined;
    const isBytes = value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView;
    return isBytes ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
  };

  const CHUNK = 32_768;
  const base64 = (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += CHUNK) text += fromCharCode(...bytes.subarray(at, at + CHUNK));
    return btoa(text);
  };

  // The parameters as JSON, and where in them bytes are, which are base64 there. Integers beyond 2^53 are strings of digits.
  const written = (params) => {
    const bytes = [];
    const paths = new Map();
    const text = JSON.stringify(params, function replaced(key, value) {
      if (typeof value === 'bigint') return isSafeInteger(Number(value)) ? Number(value) : String(value);
      if (typeof value !== 'object' || value === null) return value;
      const holder = paths.get(this);
      const path = holder === undefined ? [] : [...holder, key];
      const own = bytesOf(value);
      if (own !== undefined) {
        bytes.push(path);
        return base64(own);
      }
      const object = isView(value) ? [...value] : value;
      paths.set(object, path);
      return object;
    });
    return { text, bytes };
  };

  // What the host is told about a call: the parameters, and how it is made if that is not as usual.
  const messageOf = (source, name, params, options) => {
    const wantsResponse = typeof options === 'object' && options !== null && options.response === true;
    if (params === undefined || params === later)
      return { text: '{}', how: wantsResponse ? { wantsResponse } : undefined };
    let made;
    try {
      made = written(params);
    } catch (error) {
      throw new TypeError(`the parameters of sdk.${source}.${name} cannot be written as JSON: ${error.message}`, {
        cause: error,
      });
    }
    const { text, bytes } = made;
    if (text === undefined) throw new TypeError(`the parameters of sdk.${source}.${name} must be an object`);
    return { text, how: wantsResponse || bytes.length > 0 ? { wantsResponse, bytes } : undefined };
  };

  const synchronous =
    (source, name) =>
    (params, ...rest) => {
      const { text, how } = messageOf(source, name, params, rest[0] === later ? undefined : rest[0]);
      const isTicketed = params === later || rest[rest.length - 1] === later;
      return isTicketed ? start(source, name, text, how) : call(source, name, text, how);
    };

  // The stack of an error that comes later does not lead here: the last argument says where the call is.
  const asynchronous =
    (source, name) =>
    async (params, ...rest) => {
      const at = rest[rest.length - 1];
      const { text, how } = messageOf(source, name, params, rest[0]);
      return callLater(source, name, text, typeof at === 'number' ? at : -1, how);
    };

  const inspected = Symbol.for('nodejs.util.inspect.custom');

  // A source with thousands of methods, of which a program calls a few: each is made when it is asked for, and all of them
  // only for who looks at the object as a whole. Nobody can tell it from a frozen object.
  const makeSource = (source, methodFor, { namesOf, isMethod }) => {
    const made = {};
    // The console looks at the target of a proxy, without its traps.
    defineProperty(made, inspected, { value: () => whole(), configurable: true });
    const make = (name) => {
      const method = methodFor(source, name);
      defineProperty(method, 'name', { value: name });
      defineProperty(made, name, { value: freeze(method), enumerable: true });
      return method;
    };
    let names;
    const whole = () => {
      if (names === undefined) {
        names = namesOf(source);
        for (const name of names) if (!hasOwn(made, name)) make(name);
        delete made[inspected];
        freeze(made);
      }
      return made;
    };
    const isUnmade = (name) => names === undefined && typeof name === 'string' && !hasOwn(made, name);
    return new Proxy(made, {
      __proto__: null,
      get: (_, name) => {
        if (name === inspected) return undefined;
        return isUnmade(name) && isMethod(source, name) ? make(name) : made[name];
      },
      has: (_, name) => name in whole(),
      ownKeys: () => whole() && names,
      getOwnPropertyDescriptor: (_, name) => getOwnPropertyDescriptor(whole(), name),
      isExtensible: () => isExtensible(whole()),
      preventExtensions: () => !isExtensible(whole()),
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
    });
  };

  const makeSdk = (methodFor, registry) => {
    const sdk = {};
    for (const { name: source } of sources) {
      let made;
      const get = () => (made ??= makeSource(source, methodFor, registry));
      defineProperty(sdk, source, { get: freeze(get), enumerable: true, configurable: false });
    }
    return freeze(sdk);
  };

  // Generators of compiled functions that `parallel` has to drive.
  const tasks = new WeakSet();
  const task = (generatorFunction) => {
    const running = generatorFunction();
    tasks.add(running);
    return running;
  };

  // Functions that give promises, compiled or not.
  const asynchronousOnes = new WeakSet();
  const promised = (one) => {
    asynchronousOnes.add(one);
    return one;
  };

  // Calls that are done, for whichever `parallel` waits for them: one may run inside of another.
  const done = new Set();

  const checked = (functions) => {
    const list = functions.length === 1 && Array.isArray(functions[0]) ? [...functions[0]] : functions;
    list.forEach((one, at) => {
      if (typeof one !== 'function') throw new TypeError(`utils.parallel: argument ${at} must be a function`);
    });
    return list;
  };

  const parallel = (...functions) => {
    const list = checked(functions);
    return list.some((one) => asynchronousOnes.has(one)) ? (async () => runAll(list))() : runAll(list);
  };

  // Runs each function until it waits, and goes on with whichever has its answer first.
  const runAll = (functions) => {
    const results = [];
    const waiting = new Map();
    const advance = (at, running, ticket) => {
      const step = running.next(ticket);
      if (step.done) results[at] = step.value;
      else waiting.set(step.value, { at, running });
    };
    functions.forEach((one, at) => {
      const value = one();
      if (tasks.has(value)) advance(at, value);
      else results[at] = value;
    });
    while (waiting.size > 0) {
      let ticket;
      for (const ready of done) {
        if (waiting.has(ready)) ticket = ready;
      }
      if (ticket === undefined) {
        done.add(next());
        continue;
      }
      done.delete(ticket);
      const { at, running } = waiting.get(ticket);
      waiting.delete(ticket);
      advance(at, running, ticket);
    }
    const hasPromises = results.some((value) => value instanceof Promise);
    return hasPromises ? Promise.all(results) : results;
  };

  const parallelPromises = async (...functions) => Promise.all(checked(functions).map((one) => one()));

  return {
    later,
    task,
    promised,
    take,
    sdkOf: (style, registry) => makeSdk(style === 'sync' ? synchronous : asynchronous, registry),
    parallelOf: (style) => (style === 'sync' ? parallel : parallelPromises),
  };
};
