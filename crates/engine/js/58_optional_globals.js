// Globals that guests have on request: the option `globals`. They are hardened in the snapshot. An isolate puts the
// groups that its session asks for on the global, before any guest code.
//
// The guest's own part of timers is here. Time passes by answers of the host: when the guest has nothing to do, it asks
// the host to be woken at the time of its first timer. A recorded session repeats these answers, and with them the order
// of all that happens.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types } = boot;
  const { apply, arrayPush, ceil, dateNow, defineProperty, Error, freeze, isView, max, newMap } = p;
  const { promiseThen, RangeError, TypeError, typedArrayTag } = p;
  const { op_decode, op_digest, op_encode, op_random, op_substitute, op_url } = boot.ops;
  const { Blob, bytesOf, File, FormData, hexOf, isRead, isUntouched, own, streamOf, takeRest } = boot.bodies;
  const readBody = boot.bodies.read;
  // Programs may declare variables with these names.
  const { Promise, Symbol, Uint8Array, URLSearchParams } = globalThis;
  const { parse } = JSON;
  const race = (promises) => apply(Promise.race, Promise, [promises]);
  const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

  const MAX_TIMERS = 1_000;
  // The most that a timer of the host can wait. Longer delays are those of one millisecond, as in browsers.
  const MAX_DELAY_MS = 2 ** 31 - 1;
  // Listeners of one signal, and signals that follow one signal.
  const MAX_LISTENERS = 1_000;
  // As `crypto.getRandomValues` of browsers.
  const MAX_RANDOM_BYTES = 65_536;

  const named = (name, message, code) => {
    const error = new Error(message);
    const own = { __proto__: null, value: name, writable: true, enumerable: false, configurable: true };
    defineProperty(error, "name", own);
    if (code !== undefined) defineProperty(error, "code", { ...own, value: code });
    return error;
  };
  const isFunction = (value) => typeof value === "function";
  const tag = (Class, name) =>
    defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });

  // --- Time -------------------------------------------------------------------------------------------------------

  // Set when the first run begins: before that, a recorded session has no clock.
  let origin;
  let lastNow = 0;
  // Milliseconds since the session's first run, never less than before.
  const now = () => {
    if (origin === undefined) origin = dateNow();
    lastNow = max(lastNow, dateNow() - origin);
    return lastNow;
  };

  // --- Timers -----------------------------------------------------------------------------------------------------

  // Functions of the host. `wake(ms)` is answered with true after the time, or with false when another call of it
  // replaces it. `wake(-1)` only replaces.
  let wake;
  // Timers of the run by their numbers: { due, callback, args, every }.
  const timers = newMap();
  // Grows with each run and never repeats, so that a number from an earlier run clears nothing.
  let lastTimer = 0;
  // All timers that are due by then have their turn. The clock of the answers, as far as it has come.
  let reached = 0;
  // When the host will wake the guest; undefined if it was not asked to.
  let wakeAt;
  // The number of the last call of `wake`, and whether timers may have changed since the host was asked.
  let lastWake = 0;
  let isChanged = false;

  const addTimer = (callback, delay, args, isRepeated) => {
    if (timers.size >= MAX_TIMERS) {
      throw new RangeError(`There are ${MAX_TIMERS} timers already; clear those that are not needed any more`);
    }
    let ms = +delay;
    if (!(ms >= 1 && ms <= MAX_DELAY_MS)) ms = 1;
    ms = p.floor(ms);
    lastTimer++;
    timers.set(lastTimer, { due: max(now(), reached) + ms, callback, args, every: isRepeated ? ms : undefined });
    isChanged = true;
    return lastTimer;
  };
  const removeTimer = (id) => {
    if (timers.delete(id)) isChanged = true;
  };
  const checkCallback = (callback, name) => {
    if (isFunction(callback)) return;
    throw new TypeError(`${name}: the first argument must be a function, got ${typeof callback}`);
  };

  // The number of the timer whose turn is next; 0 without timers.
  const firstTimer = () => {
    let first = 0;
    let least = Infinity;
    p.mapForEach(timers, ({ due }, id) => {
      if (due < least) {
        least = due;
        first = id;
      }
    });
    return first;
  };

  // Calls a function, or the method `handleEvent` of a listener. What it throws becomes an unhandled rejection, which the
  // run's log reports, and does not reach the code that called.
  const callBack = async (callback, receiver, args) => {
    if (isFunction(callback)) apply(callback, receiver, args);
    else apply(callback.handleEvent, callback, args);
  };

  const askToBeWoken = (ms) => {
    const call = ++lastWake;
    const at = now() + ms;
    promiseThen(wake(ms), (isTime) => {
      if (call !== lastWake) return;
      wakeAt = undefined;
      isChanged = true;
      // The host's clock may be a little ahead.
      if (isTime) reached = max(now(), at);
    });
    wakeAt = ms < 0 ? undefined : at;
  };

  // Called when the guest's microtasks are done. Calls the callback of one timer that is due and returns true.
  // Otherwise, asks the host to wake the guest for the first timer, if it has not been asked, and returns false.
  boot.turn = () => {
    if (!isChanged) return false;
    const id = firstTimer();
    if (id === 0) {
      isChanged = false;
      if (wakeAt !== undefined) askToBeWoken(-1);
      return false;
    }
    const timer = timers.get(id);
    if (timer.due <= reached) {
      if (timer.every === undefined) timers.delete(id);
      else timer.due = max(now(), reached) + timer.every;
      callBack(timer.callback, undefined, timer.args);
      return true;
    }
    isChanged = false;
    if (wakeAt === undefined || timer.due < wakeAt) askToBeWoken(max(1, ceil(timer.due - now())));
    return false;
  };

  // A run begins. Timers end with their run.
  boot.beginTime = () => {
    if (!isInstalled) return;
    timers.clear();
    wakeAt = undefined;
    isChanged = false;
    lastWake++;
    now();
  };

  const timerFunctions = {
    setTimeout(callback, delay = 0, ...args) {
      checkCallback(callback, "setTimeout");
      return addTimer(callback, delay, args, false);
    },
    clearTimeout(id) {
      removeTimer(id);
    },
    setInterval(callback, delay = 0, ...args) {
      checkCallback(callback, "setInterval");
      return addTimer(callback, delay, args, true);
    },
    clearInterval(id) {
      removeTimer(id);
    },
  };

  // --- Abort ------------------------------------------------------------------------------------------------------

  const abortError = () => named("AbortError", "This operation was aborted", 20);
  const timeoutError = () => named("TimeoutError", "The operation was aborted due to timeout", 23);

  // Only this file can make signals.
  const KEY = freeze({ __proto__: null });
  let isSignal;
  let abortSignal;
  // Calls `work` when the signal is aborted, before its listeners. Returns a function that unregisters `work`. It must be
  // called when `work` is of no use any more: a signal has room for `MAX_LISTENERS`.
  let whenAborted;

  class Event {
    #type;
    #target;
    constructor(type, target, key) {
      if (key !== KEY) throw new TypeError("Illegal constructor");
      this.#type = type;
      this.#target = target;
    }
    get type() {
      return this.#type;
    }
    get target() {
      return this.#target;
    }
    get currentTarget() {
      return this.#target;
    }
    get defaultPrevented() {
      return false;
    }
    preventDefault() {}
    stopPropagation() {}
    stopImmediatePropagation() {}
  }

  class AbortSignal {
    #isAborted = false;
    #reason = undefined;
    #onabort = null;
    // { listener, forget }, in order. `forget` unregisters it at the signal that removes it. The list is replaced when it
    // changes, so that a dispatch goes through the list that it began with.
    #listeners = [];
    #works = p.newSet();
    constructor(key) {
      if (key !== KEY) throw new TypeError("Illegal constructor: use new AbortController().signal");
    }
    static abort(reason) {
      const signal = new AbortSignal(KEY);
      abortSignal(signal, arguments.length === 0 || reason === undefined ? abortError() : reason);
      return signal;
    }
    static timeout(ms) {
      const delay = +ms;
      if (!(delay >= 0 && delay <= 2 ** 53 - 1)) {
        throw new RangeError("AbortSignal.timeout: the time must be a number of milliseconds");
      }
      const signal = new AbortSignal(KEY);
      // Longer ones outlast every run.
      if (delay <= MAX_DELAY_MS) addTimer(() => abortSignal(signal, timeoutError()), delay, [], false);
      return signal;
    }
    static any(signals) {
      const all = [];
      for (const signal of signals) {
        if (!isSignal(signal)) throw new TypeError("AbortSignal.any: the argument must list AbortSignals");
        if (all.length >= MAX_LISTENERS) throw new RangeError(`AbortSignal.any: more than ${MAX_LISTENERS} signals`);
        arrayPush(all, signal);
      }
      const follower = new AbortSignal(KEY);
      for (let i = 0; i < all.length; i++) {
        if (all[i].#isAborted) {
          abortSignal(follower, all[i].#reason);
          return follower;
        }
      }
      const forgets = [];
      const forget = () => {
        for (let i = 0; i < forgets.length; i++) (0, forgets[i])();
      };
      const follow = (signal) => {
        const work = () => {
          forget();
          abortSignal(follower, signal.#reason);
        };
        arrayPush(forgets, whenAborted(signal, work));
      };
      try {
        for (let i = 0; i < all.length; i++) follow(all[i]);
      } catch (error) {
        forget();
        throw error;
      }
      return follower;
    }
    static {
      isSignal = (value) => boot.isObject(value) && #isAborted in value;
      abortSignal = (signal, reason) => {
        if (signal.#isAborted) return;
        signal.#isAborted = true;
        signal.#reason = reason;
        const works = [];
        p.setForEach(signal.#works, (work) => arrayPush(works, work));
        signal.#works.clear();
        // In turn, because signals that follow others may form a long chain.
        for (let i = 0; i < works.length; i++) arrayPush(pendingAborts, works[i]);
        arrayPush(pendingAborts, () => signal.#dispatch());
        if (isAborting) return;
        isAborting = true;
        try {
          for (let i = 0; i < pendingAborts.length; i++) (0, pendingAborts[i])();
        } finally {
          isAborting = false;
          pendingAborts = [];
        }
      };
      whenAborted = (signal, work) => {
        if (signal.#isAborted) {
          work();
          return () => {};
        }
        if (signal.#works.size >= MAX_LISTENERS) {
          throw new RangeError(`More than ${MAX_LISTENERS} operations or signals depend on one AbortSignal`);
        }
        signal.#works.add(work);
        return () => signal.#works.delete(work);
      };
    }
    get aborted() {
      return this.#isAborted;
    }
    get reason() {
      return this.#reason;
    }
    get onabort() {
      return this.#onabort;
    }
    set onabort(listener) {
      this.#onabort = isFunction(listener) ? listener : null;
    }
    throwIfAborted() {
      if (this.#isAborted) throw this.#reason;
    }
    addEventListener(type, listener, options) {
      if (`${type}` !== "abort" || listener === null || listener === undefined) return;
      if (!isFunction(listener) && !boot.isObject(listener)) {
        throw new TypeError("addEventListener: the listener must be a function");
      }
      const signal = boot.isObject(options) ? options.signal : undefined;
      if (signal !== undefined && !isSignal(signal)) throw new TypeError("addEventListener: not an AbortSignal");
      if (this.#isAborted || signal?.aborted || this.#indexOf(listener) >= 0) return;
      if (this.#listeners.length >= MAX_LISTENERS) {
        throw new RangeError(`More than ${MAX_LISTENERS} listeners of one AbortSignal; remove those that are done`);
      }
      const forget = signal === undefined ? undefined : whenAborted(signal, () => this.#remove(listener));
      this.#listeners = [...this.#listeners, { listener, forget }];
    }
    removeEventListener(type, listener) {
      if (`${type}` === "abort") this.#remove(listener);
    }
    dispatchEvent() {
      throw new TypeError("dispatchEvent is not available: call abort() of the AbortController");
    }
    #indexOf(listener) {
      for (let i = 0; i < this.#listeners.length; i++) if (this.#listeners[i].listener === listener) return i;
      return -1;
    }
    #remove(listener) {
      const found = this.#indexOf(listener);
      if (found < 0) return;
      const left = [];
      for (let i = 0; i < this.#listeners.length; i++) if (i !== found) arrayPush(left, this.#listeners[i]);
      this.#listeners[found].forget?.();
      this.#listeners = left;
    }
    // A signal is aborted once. So all listeners are removed afterwards, with or without `once`.
    #dispatch() {
      const event = new Event("abort", this, KEY);
      if (this.#onabort !== null) callBack(this.#onabort, this, [event]);
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length; i++) {
        const { listener } = listeners[i];
        // An earlier listener may have removed it.
        if (this.#indexOf(listener) >= 0) callBack(listener, this, [event]);
      }
      for (let i = 0; i < this.#listeners.length; i++) this.#listeners[i].forget?.();
      this.#listeners = [];
    }
    [inspectCustom]() {
      return `AbortSignal { aborted: ${this.#isAborted} }`;
    }
  }
  let isAborting = false;
  let pendingAborts = [];

  class AbortController {
    #signal = new AbortSignal(KEY);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      abortSignal(this.#signal, arguments.length === 0 || reason === undefined ? abortError() : reason);
    }
    [inspectCustom]() {
      return `AbortController { signal: AbortSignal { aborted: ${this.#signal.aborted} } }`;
    }
  }
  tag(Event, "Event");
  tag(AbortSignal, "AbortSignal");
  tag(AbortController, "AbortController");

  // --- Random numbers and digests -----------------------------------------------------------------------------------

  const INTEGERS = p.newSet();
  for (const name of ["Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "BigInt64", "BigUint64"]) {
    INTEGERS.add(`${name}Array`);
  }
  const HASHES = { __proto__: null, "SHA-1": 1, "SHA-256": 256, "SHA-384": 384, "SHA-512": 512 };

  const subtle = {
    async digest(algorithm, data) {
      const given = boot.isObject(algorithm) ? algorithm.name : algorithm;
      const name = `${given}`.toUpperCase();
      if (HASHES[name] === undefined) {
        throw named(
          "NotSupportedError",
          "crypto.subtle.digest: the algorithm must be SHA-1, SHA-256, SHA-384 or SHA-512",
          9,
        );
      }
      if (!types.isArrayBuffer(data) && !isView(data)) {
        throw new TypeError(
          "crypto.subtle.digest: the data must be an ArrayBuffer or a typed array; encode text with new TextEncoder().encode(text)",
        );
      }
      return op_digest(HASHES[name], data).buffer;
    },
  };
  const crypto = {
    subtle,
    getRandomValues(array) {
      if (!isView(array) || !INTEGERS.has(typedArrayTag(array))) {
        throw named("TypeMismatchError", "crypto.getRandomValues: the argument must be an array of integers", 17);
      }
      if (op_random(array, MAX_RANDOM_BYTES) === false) {
        throw named("QuotaExceededError", `crypto.getRandomValues: at most ${MAX_RANDOM_BYTES} bytes at a time`, 22);
      }
      return array;
    },
    randomUUID() {
      const bytes = new Uint8Array(16);
      op_random(bytes, MAX_RANDOM_BYTES);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const text = hexOf(bytes);
      const part = (start, end) => p.stringSlice(text, start, end);
      return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
    },
  };

  const performance = {
    now() {
      return now();
    },
    get timeOrigin() {
      now();
      return origin;
    },
    toJSON() {
      return { timeOrigin: this.timeOrigin };
    },
  };

  // --- Requests -------------------------------------------------------------------------------------------------------

  // Functions of the host. `hostFetch(url, request, number)` is answered with the whole response. `hostCancel(number)`
  // ends a request.
  let hostFetch;
  let hostCancel;
  let lastRequest = 0;

  const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
  const NO_VALUE = /[\0\r\n]|[^\0-\xff]/;
  const isQuery = (value) => boot.isObject(value) && value instanceof URLSearchParams;

  let pairsOf;
  class Headers {
    // Names in lower case and values, one after the other.
    #list = [];
    constructor(init) {
      op_substitute();
      if (init === undefined || init === null) return;
      if (!boot.isObject(init)) throw new TypeError("Headers: the argument must be an object or a list of pairs");
      if (#list in init) {
        this.#list = [...init.#list];
      } else if (isFunction(init[Symbol.iterator])) {
        for (const pair of init) {
          const parts = boot.isObject(pair) ? [...pair] : [];
          if (parts.length !== 2) throw new TypeError("Headers: each pair must have a name and a value");
          this.append(parts[0], parts[1]);
        }
      } else {
        const names = p.keys(init);
        for (let i = 0; i < names.length; i++) this.append(names[i], init[names[i]]);
      }
    }
    static {
      pairsOf = (headers) => headers.#list;
      const substituteOf = boot.substituteOf;
      // Headers cross to the host as their pairs.
      boot.substituteOf = (value) => (#list in value ? value.#pairs() : substituteOf(value));
    }
    #name(name) {
      const given = `${name}`;
      if (!p.regExpTest(TOKEN, given)) throw new TypeError(`Headers: ${p.jsonStringify(given)} is not a header name`);
      return given.toLowerCase();
    }
    #value(name, value) {
      const given = `${value}`.trim();
      if (p.regExpTest(NO_VALUE, given)) {
        throw new TypeError(`Headers: the value of ${name} has line breaks or characters beyond Latin-1`);
      }
      return given;
    }
    append(name, value) {
      const wanted = this.#name(name);
      arrayPush(this.#list, wanted, this.#value(wanted, value));
    }
    delete(name) {
      this.#list = this.#without(this.#name(name));
    }
    #without(name) {
      const list = this.#list;
      const kept = [];
      for (let i = 0; i < list.length; i += 2) if (list[i] !== name) arrayPush(kept, list[i], list[i + 1]);
      return kept;
    }
    get(name) {
      return this.#values(this.#name(name));
    }
    #values(name) {
      const list = this.#list;
      let found = null;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] === name) found = found === null ? list[i + 1] : `${found}, ${list[i + 1]}`;
      }
      return found;
    }
    getSetCookie() {
      const found = [];
      for (let i = 0; i < this.#list.length; i += 2) {
        if (this.#list[i] === "set-cookie") arrayPush(found, this.#list[i + 1]);
      }
      return found;
    }
    has(name) {
      return this.#values(this.#name(name)) !== null;
    }
    set(name, value) {
      const wanted = this.#name(name);
      const given = this.#value(wanted, value);
      const kept = this.#without(wanted);
      arrayPush(kept, wanted, given);
      this.#list = kept;
    }
    // Pairs of names and values, sorted by name, each name once.
    #pairs() {
      const names = [];
      const seen = p.newSet();
      for (let i = 0; i < this.#list.length; i += 2) {
        if (!seen.has(this.#list[i])) arrayPush(names, this.#list[i]);
        seen.add(this.#list[i]);
      }
      names.sort();
      const pairs = [];
      for (let i = 0; i < names.length; i++) arrayPush(pairs, [names[i], this.#values(names[i])]);
      return pairs;
    }
    forEach(callback, receiver) {
      if (!isFunction(callback)) throw new TypeError("forEach: the callback must be a function");
      const pairs = this.#pairs();
      for (let i = 0; i < pairs.length; i++) apply(callback, receiver, [pairs[i][1], pairs[i][0], this]);
    }
    *entries() {
      yield* this.#pairs();
    }
    *keys() {
      const pairs = this.#pairs();
      for (let i = 0; i < pairs.length; i++) yield pairs[i][0];
    }
    *values() {
      const pairs = this.#pairs();
      for (let i = 0; i < pairs.length; i++) yield pairs[i][1];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    [inspectCustom](_, options, inspect) {
      const shown = {};
      const pairs = this.#pairs();
      for (let i = 0; i < pairs.length; i++) shown[pairs[i][0]] = pairs[i][1];
      return `Headers ${inspect(shown, options)}`;
    }
  }

  // The body as a string or as bytes, and its usual type. Undefined without a body.
  const bodyOf = (body, what) => {
    if (body === undefined || body === null) return undefined;
    if (typeof body === "string") return { content: body, type: "text/plain;charset=UTF-8" };
    if (isQuery(body)) return { content: `${body}`, type: "application/x-www-form-urlencoded;charset=UTF-8" };
    const bytes = bytesOf(body);
    if (bytes !== undefined) return { content: new Uint8Array(bytes), type: undefined };
    const read = readBody(body);
    if (read !== undefined) return read;
    if (boot.isObject(body)) {
      throw new TypeError(
        `${what}: the body must be a string, bytes, a Blob, FormData or URLSearchParams; send JSON.stringify(body)`,
      );
    }
    return { content: `${body}`, type: "text/plain;charset=UTF-8" };
  };

  const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

  // The body of a request or response, which can be read once.
  let contentOf;
  class Body {
    // A string, bytes, or undefined.
    #content;
    #stream;
    #isUsed = false;
    constructor(content, key) {
      if (key !== KEY) throw new TypeError("Illegal constructor");
      this.#content = content;
    }
    static {
      contentOf = (body) => {
        if (body.#isUsed || (body.#stream !== undefined && !isUntouched(body.#stream))) {
          throw new TypeError("The body was read already; use clone() before it is read");
        }
        return body.#content;
      };
    }
    get body() {
      if (this.#content === undefined) return null;
      if (this.#stream === undefined) {
        this.#stream = streamOf(typeof this.#content === "string" ? op_encode(this.#content) : this.#content);
        if (this.#isUsed) takeRest(this.#stream);
      }
      return this.#stream;
    }
    get bodyUsed() {
      return this.#isUsed || (this.#stream !== undefined && isRead(this.#stream));
    }
    #take() {
      const content = contentOf(this);
      this.#isUsed = content !== undefined;
      if (this.#stream !== undefined) takeRest(this.#stream);
      return content;
    }
    #bytes() {
      const content = this.#take();
      if (content === undefined) return new Uint8Array(0);
      return typeof content === "string" ? op_encode(content) : new Uint8Array(content);
    }
    #text() {
      const content = this.#take();
      if (content === undefined || typeof content === "string") return content ?? "";
      return op_decode(content, "utf-8", false, false);
    }
    async text() {
      return this.#text();
    }
    async json() {
      return parse(this.#text());
    }
    async bytes() {
      return this.#bytes();
    }
    async arrayBuffer() {
      return this.#bytes().buffer;
    }
    async blob() {
      return new Blob([this.#bytes()], { type: this.headers.get("content-type") ?? "" });
    }
    async formData() {
      const type = `${this.headers.get("content-type")}`;
      if (!p.regExpTest(FORM, type)) {
        throw new TypeError("formData() reads only application/x-www-form-urlencoded; use text() or bytes()");
      }
      const form = new FormData();
      for (const { 0: name, 1: value } of new URLSearchParams(this.#text())) form.append(name, value);
      return form;
    }
  }

  const METHODS = p.newSet();
  for (const method of ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]) METHODS.add(method);
  const REDIRECTS = p.newSet();
  for (const mode of ["follow", "error", "manual"]) REDIRECTS.add(mode);

  let signalOf;
  let headersOf;
  class Request extends Body {
    #headers;
    #signal;
    constructor(input, init) {
      const source = boot.isObject(input) && #headers in input ? input : undefined;
      const options = init ?? {};
      if (!boot.isObject(options)) throw new TypeError("Request: the options must be an object");
      const parts = op_url(source === undefined ? `${input}` : source.url, undefined);
      if (parts === undefined) {
        const given = p.stringSlice(`${input}`, 0, 200);
        throw new TypeError(
          `fetch: ${p.jsonStringify(given)} is not an absolute URL, such as "https://example.com/data"`,
        );
      }
      const headers = new Headers(options.headers ?? source?.headers);
      const given = `${options.method ?? source?.method ?? "GET"}`;
      const upper = given.toUpperCase();
      const method = METHODS.has(upper) ? upper : given;
      if (!p.regExpTest(TOKEN, method)) throw new TypeError("Request: the method is not a method of HTTP");
      const redirect = `${options.redirect ?? source?.redirect ?? "follow"}`;
      if (!REDIRECTS.has(redirect)) throw new TypeError('Request: redirect must be "follow", "error" or "manual"');
      const signal = options.signal ?? source?.signal;
      if (signal !== undefined && signal !== null && !isSignal(signal)) {
        throw new TypeError("Request: signal must be an AbortSignal");
      }
      const isNew = options.body !== undefined && options.body !== null;
      const body = isNew ? bodyOf(options.body, "fetch") : undefined;
      const content = isNew ? body.content : source === undefined ? undefined : contentOf(source);
      if (content !== undefined && (method === "GET" || method === "HEAD")) {
        throw new TypeError(`fetch: a ${method} request has no body; use the method POST`);
      }
      if (body?.type !== undefined && !headers.has("content-type")) headers.set("content-type", body.type);
      super(content, KEY);
      this.#headers = headers;
      this.#signal = signal ?? undefined;
      own(this, { url: parts[0], method, redirect });
    }
    static {
      signalOf = (request) => request.#signal;
      headersOf = (request) => pairsOf(request.#headers);
    }
    get headers() {
      return this.#headers;
    }
    get signal() {
      return this.#signal;
    }
    clone() {
      return new Request(this);
    }
    [inspectCustom](_, options, inspect) {
      return `Request ${inspect({ method: this.method, url: this.url, headers: this.#headers }, options)}`;
    }
  }

  const EMPTY = p.newSet();
  for (const status of [204, 205, 304]) EMPTY.add(status);

  class Response extends Body {
    #headers;
    constructor(body, init) {
      const options = init ?? {};
      const status = options.status === undefined ? 200 : +options.status;
      if (!(p.isSafeInteger(status) && status >= 200 && status <= 599)) {
        throw new RangeError("Response: the status must be an integer from 200 to 599");
      }
      const headers = new Headers(options.headers);
      const given = bodyOf(body, "Response");
      if (given !== undefined && EMPTY.has(status)) throw new TypeError(`Response: the status ${status} has no body`);
      if (given?.type !== undefined && !headers.has("content-type")) headers.set("content-type", given.type);
      super(given?.content, KEY);
      this.#headers = headers;
      const isOk = status >= 200 && status <= 299;
      const text = `${options.statusText ?? ""}`;
      own(this, { status, statusText: text, ok: isOk, url: "", redirected: false, type: "default" });
    }
    static json(data, init) {
      const response = new Response(p.jsonStringify(data), init);
      const headers = boot.isObject(init) ? new Headers(init.headers) : new Headers();
      if (!headers.has("content-type")) response.#headers.set("content-type", "application/json");
      return response;
    }
    get headers() {
      return this.#headers;
    }
    clone() {
      const copy = new Response(contentOf(this), { status: this.status, statusText: this.statusText });
      copy.#headers = new Headers(this.#headers);
      own(copy, { url: this.url, redirected: this.redirected, type: this.type });
      return copy;
    }
    [inspectCustom](_, options, inspect) {
      const { status, statusText, ok, url, redirected } = this;
      return `Response ${inspect({ status, statusText, ok, url, redirected, headers: this.#headers }, options)}`;
    }
  }
  tag(Headers, "Headers");
  tag(Request, "Request");
  tag(Response, "Response");

  // `answer` comes from the host: { status, statusText, headers, url, redirected, body }. A policy of the host may have
  // given less.
  const responseOf = (answer, request) => {
    const given = boot.isObject(answer) ? answer : {};
    const { status = 200, statusText = "", headers, url = request.url, redirected = false } = given;
    const body = EMPTY.has(status) ? undefined : given.body;
    const response = new Response(body, { status, statusText, headers });
    own(response, { url: `${url}`, redirected: !!redirected, type: "basic" });
    return response;
  };

  const exchange = (request, number) => {
    const content = contentOf(request);
    const list = headersOf(request);
    const headers = [];
    for (let i = 0; i < list.length; i += 2) arrayPush(headers, [list[i], list[i + 1]]);
    const { url, method, redirect } = request;
    return hostFetch(url, { method, headers, body: content, redirect }, number);
  };

  const fetch = {
    async fetch(input, init) {
      const request = new Request(input, init);
      const signal = signalOf(request);
      signal?.throwIfAborted();
      const number = ++lastRequest;
      if (signal === undefined) return responseOf(await exchange(request, number), request);
      let stop;
      const aborted = new Promise((_, reject) => (stop = reject));
      // First, so that no request is made that the signal cannot end.
      const forget = whenAborted(signal, () => {
        hostCancel(number);
        stop(signal.reason);
      });
      try {
        const promise = exchange(request, number);
        // Both have handlers, so that the one that comes later is not reported.
        promiseThen(aborted, undefined, () => {});
        promiseThen(promise, undefined, () => {});
        return responseOf(await race([promise, aborted]), request);
      } finally {
        forget();
      }
    },
  }.fetch;

  // --- On the global --------------------------------------------------------------------------------------------------

  const groups = {
    __proto__: null,
    timers: timerFunctions,
    crypto: { crypto },
    performance: { performance },
    abort: { AbortController, AbortSignal },
    fetch: { Blob, fetch, File, FormData, Headers, Request, Response },
  };
  arrayPush(boot.toHarden, groups, Event);

  let isInstalled = false;

  // Called before any guest code. `services` are functions of the host: [{ path, tool }].
  boot.installGlobals = (names, services) => {
    isInstalled = true;
    for (let i = 0; i < services.length; i++) {
      const { path, tool } = services[i];
      freeze(tool);
      if (path[0] === "wake") wake = tool;
      else if (path[0] === "fetch") hostFetch = tool;
      else if (path[0] === "cancel") hostCancel = tool;
    }
    for (let i = 0; i < names.length; i++) {
      const group = groups[names[i]];
      const keys = p.ownKeys(group);
      for (let k = 0; k < keys.length; k++) {
        defineProperty(globalThis, keys[k], {
          __proto__: null,
          value: group[keys[k]],
          writable: false,
          enumerable: false,
          configurable: true,
        });
      }
    }
  };
})();
