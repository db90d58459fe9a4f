// Contents of requests and responses: blobs, files, forms and streams. They are globals of the group `fetch`, which
// 58_optional_globals.js defines. All bytes are in memory: a stream only hands them out in parts.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, types } = boot;
  const { apply, arrayPush, dateNow, defineProperty, freeze, isView, jsonStringify, max, min, TypeError } = p;
  const { valuesOf, withoutPairs, withPair } = boot.pairs;
  const { op_decode, op_encode, op_random, op_substitute } = boot.ops;
  // Programs may declare variables with these names.
  const { Symbol, Uint8Array } = globalThis;
  const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

  const PART_BYTES = 65_536;
  const HEX = "0123456789abcdef";
  const BOUNDARY_BYTES = 16;

  // Only this file can make streams and readers.
  const KEY = freeze({ __proto__: null });

  const tag = (Class, name) =>
    defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });

  const own = (object, properties) => {
    const names = p.keys(properties);
    for (let i = 0; i < names.length; i++) {
      const value = properties[names[i]];
      defineProperty(object, names[i], {
        __proto__: null,
        value,
        writable: false,
        enumerable: true,
        configurable: true,
      });
    }
  };

  // The bytes of an ArrayBuffer or a view; undefined for other values.
  const bytesOf = (value) => {
    if (types.isArrayBuffer(value)) return new Uint8Array(value);
    if (!isView(value)) return undefined;
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  };

  const joined = (parts) => {
    let length = 0;
    for (let i = 0; i < parts.length; i++) length += parts[i].length;
    const bytes = new Uint8Array(length);
    for (let i = 0, at = 0; i < parts.length; at += parts[i].length, i++) bytes.set(parts[i], at);
    return bytes;
  };

  const hexOf = (bytes) => {
    let text = "";
    for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
    return text;
  };

  // --- Streams ------------------------------------------------------------------------------------------------------

  let isStream;
  let isRead;
  let isUntouched;
  let nextPart;
  // The bytes that nobody has read, which end the stream.
  let takeRest;
  let release;

  class ReadableStream {
    #bytes;
    #at = 0;
    #isLocked = false;
    #isUsed = false;
    constructor(bytes, key) {
      if (key !== KEY) throw new TypeError("Illegal constructor: streams are bodies of responses and blobs");
      this.#bytes = bytes;
    }
    static {
      isStream = (value) => boot.isObject(value) && #bytes in value;
      isRead = (stream) => stream.#isUsed;
      isUntouched = (stream) => !stream.#isLocked && !stream.#isUsed;
      nextPart = (stream) => {
        stream.#isUsed = true;
        const part = stream.#bytes.slice(stream.#at, stream.#at + PART_BYTES);
        stream.#at += part.length;
        return part.length === 0 ? undefined : part;
      };
      takeRest = (stream) => {
        const rest = stream.#bytes.subarray(stream.#at);
        stream.#isUsed = true;
        stream.#at = stream.#bytes.length;
        return rest;
      };
      release = (stream) => {
        stream.#isLocked = false;
      };
    }
    #unlocked() {
      if (this.#isLocked)
        throw new TypeError("The stream has a reader already; call releaseLock() of the reader first");
    }
    get locked() {
      return this.#isLocked;
    }
    getReader(options) {
      this.#unlocked();
      if (boot.isObject(options) && options.mode !== undefined) {
        throw new TypeError("getReader: readers have no modes; call getReader()");
      }
      this.#isLocked = true;
      return new ReadableStreamDefaultReader(this, KEY);
    }
    async cancel() {
      this.#unlocked();
      takeRest(this);
    }
    tee() {
      this.#unlocked();
      const rest = takeRest(this);
      return [new ReadableStream(rest, KEY), new ReadableStream(rest, KEY)];
    }
    async *values() {
      this.#unlocked();
      this.#isLocked = true;
      try {
        for (let part = nextPart(this); part !== undefined; part = nextPart(this)) yield part;
      } finally {
        takeRest(this);
        this.#isLocked = false;
      }
    }
    [Symbol.asyncIterator]() {
      return this.values();
    }
    pipeThrough() {
      throw withoutPipes("pipeThrough");
    }
    async pipeTo() {
      throw withoutPipes("pipeTo");
    }
    [inspectCustom]() {
      return `ReadableStream { locked: ${this.#isLocked} }`;
    }
  }
  const withoutPipes = (name) =>
    new TypeError(
      `${name} is not available: read the parts with \`for await (const part of body)\`, or all of them with \`await response.text()\``,
    );

  class ReadableStreamDefaultReader {
    #stream;
    constructor(stream, key) {
      if (key !== KEY) throw new TypeError("Illegal constructor: call getReader() of the stream");
      this.#stream = stream;
    }
    #held() {
      if (this.#stream === undefined) throw new TypeError("The reader was released; call getReader() again");
      return this.#stream;
    }
    async read() {
      const value = nextPart(this.#held());
      return { done: value === undefined, value };
    }
    async cancel() {
      takeRest(this.#held());
    }
    releaseLock() {
      if (this.#stream !== undefined) release(this.#stream);
      this.#stream = undefined;
    }
  }
  tag(ReadableStream, "ReadableStream");
  tag(ReadableStreamDefaultReader, "ReadableStreamDefaultReader");

  // --- Blobs ----------------------------------------------------------------------------------------------------------

  const TYPE = /^[\x20-\x7e]*$/;
  const typeOf = (options) => {
    const type = boot.isObject(options) && options.type !== undefined ? `${options.type}` : "";
    return p.regExpTest(TYPE, type) ? type.toLowerCase() : "";
  };
  // As for `slice` of arrays.
  const place = (index, size) => (index < 0 ? max(size + index, 0) : min(index, size));
  const whole = (value) => {
    const number = +value;
    if (number !== number) return 0;
    return number < 0 ? p.ceil(number) : p.floor(number);
  };

  let isBlob;
  // The bytes of a blob, which nobody may change.
  let contentOf;

  class Blob {
    #content;
    constructor(parts = [], options = undefined) {
      if (!boot.isObject(parts) || typeof parts[Symbol.iterator] !== "function") {
        throw new TypeError(`${new.target.name}: the first argument must be a list of parts, such as [text]`);
      }
      op_substitute();
      const list = [];
      for (const part of parts) arrayPush(list, isBlob(part) ? part.#content : (bytesOf(part) ?? op_encode(`${part}`)));
      this.#content = joined(list);
      own(this, { size: this.#content.length, type: typeOf(options) });
    }
    static {
      isBlob = (value) => boot.isObject(value) && #content in value;
      contentOf = (blob) => blob.#content;
    }
    async text() {
      return op_decode(this.#content, "utf-8", false, false);
    }
    async bytes() {
      return new Uint8Array(this.#content);
    }
    async arrayBuffer() {
      return new Uint8Array(this.#content).buffer;
    }
    stream() {
      return new ReadableStream(this.#content, KEY);
    }
    slice(start = 0, end = undefined, type = "") {
      const { length } = this.#content;
      const from = place(whole(start), length);
      const to = end === undefined ? length : place(whole(end), length);
      return new Blob([this.#content.subarray(from, max(from, to))], { type });
    }
  }

  class File extends Blob {
    constructor(parts, name, options = undefined) {
      if (arguments.length < 2) throw new TypeError("File needs a list of parts and a name");
      super(parts, options);
      const time = boot.isObject(options) ? options.lastModified : undefined;
      own(this, { name: `${name}`, lastModified: time === undefined ? dateNow() : whole(time) });
    }
  }
  tag(Blob, "Blob");
  tag(File, "File");

  // --- Forms ----------------------------------------------------------------------------------------------------------

  const LINE_BREAK = /\r\n|\r|\n/g;
  const QUOTED = /[\r\n"]/g;
  const ESCAPES = { __proto__: null, "\r": "%0D", "\n": "%0A", '"': "%22" };
  const lines = (text) => text.replace(LINE_BREAK, "\r\n");
  const quoted = (text) => `"${text.replace(QUOTED, (char) => ESCAPES[char])}"`;

  let isForm;
  let entriesOf;
  class FormData {
    // Names and values, one after the other. Values are strings and files.
    #list = [];
    constructor(form) {
      if (form !== undefined) {
        throw new TypeError("FormData: the constructor takes no argument; call append(name, value) for each field");
      }
      op_substitute();
    }
    static {
      isForm = (value) => boot.isObject(value) && #list in value;
      entriesOf = (form) => form.#list;
    }
    #value(what, count, value, fileName) {
      if (count < 2) throw new TypeError(`${what} needs a name and a value`);
      if (isBlob(value)) return fileOf(value, fileName);
      if (fileName === undefined) return `${value}`;
      throw new TypeError(`${what}: only a Blob has a file name; pass new Blob([content])`);
    }
    append(name, value, fileName) {
      arrayPush(this.#list, `${name}`, this.#value("append", arguments.length, value, fileName));
    }
    set(name, value, fileName) {
      const wanted = `${name}`;
      const given = this.#value("set", arguments.length, value, fileName);
      this.#list = withPair(this.#list, wanted, given);
    }
    delete(name) {
      const unwanted = `${name}`;
      this.#list = withoutPairs(this.#list, unwanted);
    }
    getAll(name) {
      const wanted = `${name}`;
      return valuesOf(this.#list, wanted);
    }
    get(name) {
      return this.getAll(name)[0] ?? null;
    }
    has(name) {
      return this.getAll(name).length > 0;
    }
    forEach(callback, receiver) {
      if (typeof callback !== "function") throw new TypeError("forEach: the callback must be a function");
      for (let i = 0; i < this.#list.length; i += 2) {
        apply(callback, receiver, [this.#list[i + 1], this.#list[i], this]);
      }
    }
    *entries() {
      for (let i = 0; i < this.#list.length; i += 2) yield [this.#list[i], this.#list[i + 1]];
    }
    *keys() {
      for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i];
    }
    *values() {
      for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i + 1];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    [inspectCustom](_, options, inspect) {
      const shown = [];
      for (let i = 0; i < this.#list.length; i += 2) {
        arrayPush(shown, `${jsonStringify(this.#list[i])} => ${inspect(this.#list[i + 1], options)}`);
      }
      return shown.length === 0 ? "FormData {}" : `FormData { ${p.arrayJoin(shown, ", ")} }`;
    }
  }
  tag(FormData, "FormData");

  const fileOf = (blob, name) => {
    const isFile = blob instanceof File;
    if (isFile && name === undefined) return blob;
    const { type, lastModified } = blob;
    return new File([blob], name ?? "blob", isFile ? { type, lastModified } : { type });
  };

  // The body of a form, and its type. The boundary is random, so that no part contains it. In a recorded session it
  // follows from the seed.
  const multipartOf = (form) => {
    const random = new Uint8Array(BOUNDARY_BYTES);
    op_random(random, BOUNDARY_BYTES);
    const boundary = `----form-${hexOf(random)}`;
    const list = entriesOf(form);
    const parts = [];
    for (let i = 0; i < list.length; i += 2) {
      const value = list[i + 1];
      const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(lines(list[i]))}`;
      if (isBlob(value)) {
        const type = value.type === "" ? "application/octet-stream" : value.type;
        arrayPush(parts, op_encode(`${head}; filename=${quoted(`${value.name}`)}\r\nContent-Type: ${type}\r\n\r\n`));
        arrayPush(parts, contentOf(value), op_encode("\r\n"));
      } else {
        arrayPush(parts, op_encode(`${head}\r\n\r\n${lines(value)}\r\n`));
      }
    }
    arrayPush(parts, op_encode(`--${boundary}--\r\n`));
    return { content: joined(parts), type: `multipart/form-data; boundary=${boundary}` };
  };

  // --- For requests and responses -------------------------------------------------------------------------------------

  boot.bodies = {
    __proto__: null,
    Blob,
    bytesOf,
    File,
    FormData,
    hexOf,
    isRead,
    isUntouched,
    own,
    takeRest,
    streamOf: (bytes) => new ReadableStream(bytes, KEY),
    // The bytes and the usual type of a blob, a form or a stream. Undefined for other values.
    read(value) {
      if (isBlob(value)) return { content: contentOf(value), type: value.type === "" ? undefined : value.type };
      if (isForm(value)) return multipartOf(value);
      if (!isStream(value)) return undefined;
      if (!isUntouched(value)) throw new TypeError("The stream was read already, or has a reader");
      return { content: takeRest(value), type: undefined };
    },
  };
  const urlText = boot.substituteOf;
  // A blob crosses to the host as its bytes, a form as its pairs. Constructors call `op_substitute`, so that the host
  // asks for substitutes.
  boot.substituteOf = (value) => {
    if (isBlob(value)) return new Uint8Array(contentOf(value));
    if (!isForm(value)) return urlText(value);
    const list = entriesOf(value);
    const pairs = [];
    for (let i = 0; i < list.length; i += 2) {
      arrayPush(pairs, [list[i], isBlob(list[i + 1]) ? new Uint8Array(contentOf(list[i + 1])) : list[i + 1]]);
    }
    return pairs;
  };
  arrayPush(boot.toHarden, ReadableStream, ReadableStreamDefaultReader);
})();
