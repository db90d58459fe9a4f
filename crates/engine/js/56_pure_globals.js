// Globals that are not part of the language but that models expect. They grant no authority: native functions over
// encoding_rs, base64, url and V8's own serializer do their work (crates/engine/src/bridge/pure.rs).
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types } = boot;
  const { arrayPush, defineProperty, Error, keys, newSet, RangeError, TypeError } = p;
  const { op_clone, op_decode, op_encode, op_encoding, op_from_base64, op_to_base64 } = boot.ops;
  const { op_url, op_url_query, op_url_query_text } = boot.ops;
  const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
  const resolved = Promise.resolve();

  const named = (name, message) => {
    const error = new Error(message);
    defineProperty(error, "name", {
      __proto__: null,
      value: name,
      writable: true,
      enumerable: false,
      configurable: true,
    });
    return error;
  };
  const need = (count, args, what) => {
    if (args.length < count) {
      throw new TypeError(`${what} needs ${count} argument${count === 1 ? "" : "s"}, got ${args.length}`);
    }
  };
  const text = (value) => `${value}`;

  const functions = {
    structuredClone(value, options) {
      need(1, arguments, "structuredClone");
      const transfer = options === undefined || options === null ? undefined : options.transfer;
      const list = [];
      if (transfer !== undefined) {
        // Checked while it is read: the sequence may be infinite.
        const known = newSet();
        for (const buffer of transfer) {
          if (!types.isArrayBuffer(buffer) || known.has(buffer)) {
            throw named("DataCloneError", "structuredClone: transfer must list array buffers, each once");
          }
          known.add(buffer);
          arrayPush(list, buffer);
        }
      }
      return op_clone(value, list);
    },
    queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask: the callback must be a function");
      p.promiseThen(resolved, () => {
        callback();
      });
    },
    atob(data) {
      need(1, arguments, "atob");
      const decoded = op_from_base64(text(data));
      if (decoded === undefined) throw named("InvalidCharacterError", "atob: the text is not valid base64");
      return decoded;
    },
    btoa(data) {
      need(1, arguments, "btoa");
      const encoded = op_to_base64(text(data));
      if (encoded === undefined) {
        throw named(
          "InvalidCharacterError",
          "btoa: the text has characters beyond Latin-1; encode it with TextEncoder first",
        );
      }
      return encoded;
    },
  };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(input = "") {
      return op_encode(text(input));
    }
    encodeInto(source, destination) {
      need(2, arguments, "encodeInto");
      const { 0: read, 1: written } = op_encode(text(source), destination);
      return { read, written };
    }
  }

  // If more input follows, bytes that end in the middle of a character are held back. For encodings other than
  // Unicode's all bytes are held back, because their meaning may depend on all bytes before them.
  const heldBack = (encoding, bytes) => {
    const { length } = bytes;
    if (encoding === "utf-8") {
      for (let back = 1; back <= 3 && back <= length; back++) {
        const byte = bytes[length - back];
        if ((byte & 0xc0) === 0x80) continue;
        const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return needs > back ? back : 0;
      }
      return 0;
    }
    if (encoding !== "utf-16le" && encoding !== "utf-16be") return length;
    const odd = length % 2;
    if (length - odd < 2) return odd;
    const high = bytes[length - odd - (encoding === "utf-16le" ? 1 : 2)];
    return (high & 0xfc) === 0xd8 ? odd + 2 : odd;
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    // State of a string that arrives in parts: the bytes held back, and whether its beginning was returned.
    #held = new Uint8Array(0);
    #hasBegun = false;
    constructor(label = "utf-8", options = {}) {
      const encoding = op_encoding(text(label));
      if (encoding === undefined) throw new RangeError(`The encoding label provided ('${text(label)}') is invalid.`);
      this.#encoding = encoding;
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    decode(input, options) {
      const isLast = !options?.stream;
      let bytes = input === undefined ? this.#held : input;
      if (input !== undefined && (this.#held.length > 0 || !isLast)) bytes = this.#joined(input);
      const back = isLast ? 0 : heldBack(this.#encoding, bytes);
      const held = back === 0 ? new Uint8Array(0) : bytes.slice(bytes.length - back);
      if (back > 0) bytes = bytes.subarray(0, bytes.length - back);
      const keepsBom = this.#ignoreBOM || this.#hasBegun;
      // A failure leaves no state.
      this.#held = new Uint8Array(0);
      this.#hasBegun = false;
      const decoded = op_decode(bytes, this.#encoding, keepsBom, this.#fatal);
      if (decoded === undefined) {
        const error = new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`);
        defineProperty(error, "code", {
          __proto__: null,
          value: "ERR_ENCODING_INVALID_ENCODED_DATA",
          configurable: true,
        });
        throw error;
      }
      this.#held = held;
      this.#hasBegun = !isLast && (keepsBom || bytes.length > 0 || this.#hasBegun);
      return decoded;
    }
    // The bytes held back, followed by the bytes of `input`.
    #joined(input) {
      const isView = p.isView(input);
      const more = isView
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(new Uint8Array(input));
      const joined = new Uint8Array(this.#held.length + more.length);
      joined.set(this.#held);
      joined.set(more, this.#held.length);
      return joined;
    }
  }

  // Iterates without a snapshot: each step reads the list as it is then.
  function* each(list, pick) {
    for (let i = 0; i < list.length; i += 2) yield pick(list[i], list[i + 1]);
  }

  // Lists of pairs: a name, its value, the next name, and so on.

  const valuesOf = (list, name) => {
    const found = [];
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) arrayPush(found, list[i + 1]);
    return found;
  };

  // The list without the pairs of a name, or only without those that have this value too.
  const withoutPairs = (list, name, value) => {
    const kept = [];
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] !== name || (value !== undefined && list[i + 1] !== value)) arrayPush(kept, list[i], list[i + 1]);
    }
    return kept;
  };

  // The list with this value as the only one of a name, at the place of the first one.
  const withPair = (list, name, value) => {
    const kept = [];
    let isSet = false;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] !== name) arrayPush(kept, list[i], list[i + 1]);
      else if (!isSet) arrayPush(kept, name, value);
      isSet ||= list[i] === name;
    }
    if (!isSet) arrayPush(kept, name, value);
    return kept;
  };

  let follow;
  let queryOf;
  class URLSearchParams {
    // Names and values, one after the other.
    #list = [];
    // Called after each change.
    #onChange;
    constructor(init = "") {
      if ((typeof init === "object" && init !== null) || typeof init === "function") this.#fill(init);
      else this.#parse(text(init));
    }
    #fill(init) {
      // Created by the op, so that the host knows that such objects exist.
      const list = (this.#list = op_url_query(""));
      if (init[Symbol.iterator] !== undefined && init[Symbol.iterator] !== null) {
        for (const pair of init) {
          const parts = boot.isObject(pair) ? [...pair] : [];
          if (parts.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
          arrayPush(list, text(parts[0]), text(parts[1]));
        }
        return;
      }
      const names = keys(init);
      for (let i = 0; i < names.length; i++) arrayPush(list, names[i], text(init[names[i]]));
    }
    #parse(query) {
      this.#list = op_url_query(query[0] === "?" ? p.stringSlice(query, 1) : query);
    }
    // For the URL that owns these parameters, and for outputs.
    static {
      queryOf = (value) => (#list in value ? op_url_query_text(value.#list) : undefined);
      follow = (params, query, onChange) => {
        params.#parse(query);
        params.#onChange = onChange;
      };
    }
    #changed() {
      this.#onChange?.();
    }
    get size() {
      return this.#list.length / 2;
    }
    append(name, value) {
      need(2, arguments, "append");
      arrayPush(this.#list, text(name), text(value));
      this.#changed();
    }
    delete(name, value) {
      need(1, arguments, "delete");
      const unwanted = text(name);
      const only = value === undefined ? undefined : text(value);
      // Conversions run code of guests, which may change the list.
      this.#list = withoutPairs(this.#list, unwanted, only);
      this.#changed();
    }
    get(name) {
      need(1, arguments, "get");
      return this.getAll(name)[0] ?? null;
    }
    getAll(name) {
      need(1, arguments, "getAll");
      const wanted = text(name);
      return valuesOf(this.#list, wanted);
    }
    has(name, value) {
      need(1, arguments, "has");
      const wanted = text(name);
      const only = value === undefined ? undefined : text(value);
      const kept = withoutPairs(this.#list, wanted, only);
      return kept.length < this.#list.length;
    }
    set(name, value) {
      need(2, arguments, "set");
      const wanted = text(name);
      const given = text(value);
      this.#list = withPair(this.#list, wanted, given);
      this.#changed();
    }
    sort() {
      const pairs = [...each(this.#list, (name, value) => [name, value])];
      pairs.sort(({ 0: a }, { 0: b }) => (a < b ? -1 : a > b ? 1 : 0));
      this.#list = [];
      for (let i = 0; i < pairs.length; i++) arrayPush(this.#list, pairs[i][0], pairs[i][1]);
      this.#changed();
    }
    forEach(callback, receiver) {
      if (typeof callback !== "function") throw new TypeError("forEach: the callback must be a function");
      for (let i = 0; i < this.#list.length; i += 2) {
        p.apply(callback, receiver, [this.#list[i + 1], this.#list[i], this]);
      }
    }
    keys() {
      return each(this.#list, (name) => name);
    }
    values() {
      return each(this.#list, (_, value) => value);
    }
    entries() {
      return each(this.#list, (name, value) => [name, value]);
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return op_url_query_text(this.#list);
    }
    [inspectCustom](_, options, inspect) {
      const pairs = [...each(this.#list, (name, value) => `${inspect(name, options)} => ${inspect(value, options)}`)];
      return pairs.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${p.arrayJoin(pairs, ", ")} }`;
    }
  }
  // In the order in which `op_url` returns the parts and takes their numbers.
  const PARTS = [
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
  ];
  const SEARCH = 9;

  const parsed = (url, base) => op_url(text(url), base === undefined ? undefined : text(base));

  let hrefOf;
  let part;
  let setPart;
  class URL {
    #parts;
    #params;
    constructor(url, base) {
      need(1, arguments, "URL");
      this.#parts = parsed(url, base);
      if (this.#parts === undefined) {
        const error = new TypeError("Invalid URL");
        const set = (key, value) =>
          defineProperty(error, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
        set("code", "ERR_INVALID_URL");
        set("input", text(url));
        if (base !== undefined) set("base", text(base));
        throw error;
      }
    }
    static canParse(url, base) {
      need(1, arguments, "canParse");
      return parsed(url, base) !== undefined;
    }
    static parse(url, base) {
      need(1, arguments, "parse");
      return parsed(url, base) === undefined ? null : new URL(url, base);
    }
    // For the accessors below, and for outputs.
    static {
      hrefOf = (value) => (#parts in value ? value.#parts[0] : undefined);
      part = (url, number) => url.#parts[number];
      setPart = (url, number, value) => {
        const changed = op_url(url.#parts[0], undefined, number, text(value));
        if (changed === undefined) {
          if (number === 0) throw new TypeError("Invalid URL");
          return;
        }
        url.#parts = changed;
        if (url.#params !== undefined) url.#follow();
      };
    }
    #follow() {
      follow(this.#params, this.#parts[SEARCH], () => {
        const query = this.#params.toString();
        this.#parts = op_url(this.#parts[0], undefined, SEARCH, query) ?? this.#parts;
      });
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams();
        this.#follow();
      }
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    [inspectCustom](_, options, inspect) {
      const shown = {};
      for (let i = 0; i < PARTS.length; i++) {
        if (PARTS[i] === "hash") shown.searchParams = this.searchParams;
        shown[PARTS[i]] = this[PARTS[i]];
      }
      return `URL ${inspect(shown, options)}`;
    }
  }
  for (let number = 0; number < PARTS.length; number++) {
    const key = PARTS[number];
    const accessor = {
      get [key]() {
        return part(this, number);
      },
      set [key](value) {
        setPart(this, number, value);
      },
    };
    const { get, set } = p.getDescriptor(accessor, key);
    defineProperty(URL.prototype, key, {
      __proto__: null,
      get,
      set: key === "origin" ? undefined : set,
      enumerable: true,
      configurable: true,
    });
  }

  boot.pairs = { valuesOf, withoutPairs, withPair };

  // The string that a URL or its parameters are in outputs and arguments. Undefined for other values.
  boot.substituteOf = (value) => hrefOf(value) ?? queryOf(value);

  const classes = { TextDecoder, TextEncoder, URL, URLSearchParams };
  for (const [name, Class] of p.entries(classes)) {
    const tag = { __proto__: null, value: name, writable: false, enumerable: false, configurable: true };
    defineProperty(Class.prototype, Symbol.toStringTag, tag);
  }
  for (const [name, value] of p.entries({ ...functions, ...classes })) {
    defineProperty(globalThis, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    arrayPush(boot.guestGlobals, name);
  }
})();
