// Guest code: `sdk` in both styles, and `utils.parallel`. `host` has the tools of `../isolate.ts`. Nothing here has to
// be safe from guests, because the host checks and counts every call.
(host, sources) => {
  const { defineProperty, freeze, getOwnPropertyDescriptor, hasOwn, isExtensible } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { isSafeInteger } = Number;
  const { btoa } = globalThis;
  const { log } = console;
  const { call, callLater, start, next, take } = host;

  // The last argument of a call in a compiled function, which waits for the call by its ticket.
  const later = freeze({ __proto__: null });

  // A copy of the bytes if the value is binary; otherwise undefined.
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

  // The parameters as JSON, and the paths of the bytes in them, which are written as base64. Integers beyond 2^53 are
  // strings of digits.
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

  // The parameters of a call as text, and `how` if the call has bytes or options.
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
      hasCalled = true;
      if (isTicketed) return start(source, name, text, how);
      return groups.length === 0 ? call(source, name, text, how) : whileOthersRun(start(source, name, text, how));
    };

  // An error that arrives later has a stack that does not lead here. The last argument says where the call is.
  const asynchronous =
    (source, name) =>
    async (params, ...rest) => {
      hasCalled = true;
      const at = rest[rest.length - 1];
      const { text, how } = messageOf(source, name, params, rest[0]);
      return callLater(source, name, text, typeof at === 'number' ? at : -1, how);
    };

  const inspected = Symbol.for('nodejs.util.inspect.custom');

  // A source may have thousands of methods, of which a program calls a few. Each method is made when it is read. All of
  // them are made when code inspects the object as a whole. The object behaves like a frozen one.
  const makeSource = (source, methodFor, { namesOf, isMethod }) => {
    const made = {};
    // The console inspects the target of a proxy, without calling its traps.
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

  // Generators of compiled functions, which `parallel` runs.
  const tasks = new WeakSet();
  const task = (generatorFunction) => {
    const running = generatorFunction();
    tasks.add(running);
    return running;
  };

  // Functions that return promises, compiled or not.
  const asynchronousOnes = new WeakSet();
  const promised = (one) => {
    asynchronousOnes.add(one);
    return one;
  };

  // Whether the program has called a method.
  let hasCalled = false;

  const VALUES =
    'utils.parallel got values: their calls had ended, one after the other, before it began. Pass functions: ' +
    'utils.parallel(() => sdk.a.b(…), () => sdk.c.d(…))';
  const HELD_UP =
    'utils.parallel: functions that make several calls waited for each other. Such functions run at the same time if they are ' +
    'literals in its argument list and call `sdk.source.method(…)` themselves: utils.parallel(() => { … }, () => { … })';
  const said = new Set();
  const sayOnce = (text) => {
    if (said.has(text)) return;
    said.add(text);
    log(text);
  };

  // Checks the list of functions. Results of calls that were already made are also allowed, as in `Promise.all`.
  const checked = (functions) => {
    const list = functions.length === 1 && Array.isArray(functions[0]) ? [...functions[0]] : functions;
    return list.map((one, at) => {
      if (typeof one === 'function') return one;
      if (one instanceof Promise) return () => one;
      if (!hasCalled) throw new TypeError(`utils.parallel: argument ${at} must be a function`);
      sayOnce(VALUES);
      return () => one;
    });
  };

  const parallel = (...functions) => {
    const list = checked(functions);
    return list.some((one) => asynchronousOnes.has(one)) ? (async () => runAll(list))() : runAll(list);
  };

  // Tickets of finished calls. The function that waits for a call finds its ticket here.
  const done = new Set();

  // The `utils.parallel` calls on the stack, the outermost first.
  const groups = [];

  // The group of the function that is running.
  let current;

  // How many functions may start on the stack of others, because the stack is limited.
  const MAX_NESTED = 200;
  let nested = 0;

  // One call of `utils.parallel`. Functions that the host has compiled are generators, which wait without using the
  // stack. Any other function keeps the stack while it waits. The next functions start on top of it, so that their
  // calls are made before it continues.
  class Group {
    #functions;
    #next = 0;
    results = [];
    // Ticket of a call -> the generator that waits for it.
    #waiting = new Map();
    failure = undefined;
    // How many calls each function on the stack has made.
    #calls = [];

    constructor(functions) {
      this.#functions = functions;
    }

    get hasMore() {
      return this.failure === undefined && this.#next < this.#functions.length;
    }

    get isWaiting() {
      return this.failure === undefined && this.#waiting.size > 0;
    }

    begin() {
      const at = this.#next++;
      const outer = this.#enter();
      try {
        const one = this.#functions[at];
        const value = one();
        if (tasks.has(value)) this.#advance(at, value);
        else this.results[at] = value;
      } catch (error) {
        this.failure ??= { error };
      } finally {
        this.#leave(outer);
      }
    }

    #enter() {
      const outer = current;
      current = this;
      this.#calls.push(0);
      return outer;
    }

    #leave(outer) {
      current = outer;
      this.#calls.pop();
    }

    // Counts a call of a function that keeps the stack.
    count() {
      const calls = ++this.#calls[this.#calls.length - 1];
      if (calls > 1 && this.#calls.length > 1) sayOnce(HELD_UP);
    }

    // Continues a generator whose call has finished. Returns whether there was one.
    goOn() {
      for (const ticket of done) {
        const waiting = this.#waiting.get(ticket);
        if (waiting === undefined) continue;
        done.delete(ticket);
        this.#waiting.delete(ticket);
        const outer = this.#enter();
        try {
          this.#advance(waiting.at, waiting.running, ticket);
        } catch (error) {
          this.failure ??= { error };
        } finally {
          this.#leave(outer);
        }
        return true;
      }
      return false;
    }

    #advance(at, running, ticket) {
      const step = running.next(ticket);
      if (step.done) this.results[at] = step.value;
      else this.#waiting.set(step.value, { at, running });
    }
  }

  // Waits for a call. Meanwhile the other functions make their calls.
  const whileOthersRun = (ticket) => {
    current.count();
    nested++;
    try {
      for (let at = groups.length - 1; at >= 0; at--) {
        while (nested <= MAX_NESTED && groups[at].hasMore) groups[at].begin();
      }
      while (!done.has(ticket)) {
        const hasGoneOn = nested <= MAX_NESTED && groups.some((group) => group.isWaiting && group.goOn());
        if (!hasGoneOn) done.add(next());
      }
      done.delete(ticket);
      return take(ticket);
    } finally {
      nested--;
    }
  };

  const runAll = (functions) => {
    const group = new Group(functions);
    groups.push(group);
    try {
      while (group.hasMore) group.begin();
      while (group.isWaiting) if (!group.goOn()) done.add(next());
      if (group.failure !== undefined) throw group.failure.error;
    } finally {
      groups.splice(groups.indexOf(group), 1);
    }
    const { results } = group;
    return results.some((value) => value instanceof Promise) ? Promise.all(results) : results;
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
