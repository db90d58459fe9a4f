// The environment that Pyodide finds in its own isolate: a shell like `d8`, without files, network or processes.
// Evaluates to a function that takes the native functions and returns the functions that Rust calls. None of them stays
// on the global, except those that Pyodide looks up by name whenever it needs them.
(native) => {
  "use strict";
  const { now, random, decode, encode, encodeInto, print, refused } = native;
  const { defineProperty, getOwnPropertyNames } = Object;
  const WASM = WebAssembly;
  /** Stands for the bytes of the WebAssembly module, which is compiled once per process. */
  const BINARY = new Uint8Array(0);
  /** The mark by which Pyodide recognizes a snapshot. */
  const SNAPSHOT_MAGIC = 0x706e7300;
  const PAGE_BYTES = 1 << 16;
  let module;
  let memory;
  let pyodide;
  let guest;
  let adapter;
  /** Makes a file system from a folder. */
  let folderSystem;
  /** Python's standard library, as Pyodide has read it. */
  let library;
  /** Whether libraries may be linked to the module when it runs. */
  let links;
  /** The interpreter has met an error that it cannot recover from. */
  let isBroken = false;
  /** What refers to Python's memory from outside, before the first command. */
  let sealed;
  /** Since then, files in memory were changed, and properties of objects of JavaScript were used. */
  let hasChangedFiles = false;
  let hasUsedObjects = false;

  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });

  // Timers: due times and functions. Rust runs them between two checks for messages.
  const timers = new Map();
  let lastTimer = 0;
  const setTimer = (callback, delay, args, interval) => {
    const id = ++lastTimer;
    timers.set(id, { at: now() + Math.max(0, Number(delay) || 0), callback, args, interval });
    return id;
  };
  const setTimeout = (callback, delay, ...args) => setTimer(callback, delay, args);
  const setInterval = (callback, delay, ...args) => setTimer(callback, delay, args, Math.max(1, Number(delay) || 0));
  const clearTimer = (id) => void timers.delete(id);

  /** Milliseconds until the next timer is due; -1 without one. */
  const nextTimer = () => {
    let next = Infinity;
    for (const { at } of timers.values()) if (at < next) next = at;
    return next === Infinity ? -1 : Math.max(0, next - now());
  };

  /** Runs the timer that is due first, if any is due. */
  const runTimer = () => {
    const time = now();
    let first;
    for (const entry of timers)
      if (entry[1].at <= time && (first === undefined || entry[1].at < first[1].at)) first = entry;
    if (first === undefined) return;
    const [id, timer] = first;
    if (timer.interval === undefined) timers.delete(id);
    else timer.at = time + timer.interval;
    timer.callback(...timer.args);
  };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encode(`${text}`);
    }
    encodeInto(text, view) {
      const [read, written] = encodeInto(`${text}`, view);
      return { read, written };
    }
  }
  const LABELS = {
    __proto__: null,
    "utf-8": 0,
    utf8: 0,
    "utf-16le": 1,
    "utf-16": 1,
    latin1: 2,
    ascii: 2,
    "iso-8859-1": 2,
    "windows-1252": 2,
  };
  class TextDecoder {
    #kind;
    #fatal;
    #keepMark;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      this.#kind = LABELS[`${label}`.toLowerCase()];
      if (this.#kind === undefined) throw new RangeError(`The encoding "${label}" is not known here`);
      this.#fatal = fatal;
      this.#keepMark = ignoreBOM;
    }
    decode(view = BINARY) {
      const bytes = ArrayBuffer.isView(view)
        ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
        : new Uint8Array(view);
      const text = decode(bytes, this.#kind, this.#fatal);
      return !this.#keepMark && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
  }

  const shell = {
    // Pyodide recognizes a shell by these two functions.
    read: (path) => native.text(baseName(path)),
    load: () => {
      throw new Error("There are no scripts to load");
    },
    // Returned as buffers: Pyodide uses a buffer in place, but copies an array of bytes.
    readbuffer: (path) => (baseName(path) === "pyodide.asm.wasm" ? BINARY.buffer : (library = bytesOf(path))),
    TextEncoder,
    TextDecoder,
    performance: { now },
    setTimeout,
    clearTimeout: clearTimer,
    setInterval,
    clearInterval: clearTimer,
    // Pyodide runs this in `d8` to get random bytes.
    os: {
      system: (_program, [, command]) => base64(random(Number(/-c(\d+)/.exec(command)[1]))),
    },
    console: Object.fromEntries(
      ["log", "info", "warn", "error", "debug", "trace"].map((name) => [name, (...parts) => print(parts.join(" "))]),
    ),
  };
  for (const name of getOwnPropertyNames(shell)) define(name, shell[name]);
  // What V8 collects must not change Python's memory, which is the same in each isolate of a durable session.
  define(
    "FinalizationRegistry",
    class {
      register() {}
      unregister() {}
    },
  );

  function bytesOf(path) {
    return native.bytes(baseName(path)).buffer;
  }

  function baseName(path) {
    return path.slice(path.lastIndexOf("/") + 1);
  }

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function base64(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 3) {
      const group = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      for (let digit = 0; digit < 4; digit++) {
        text += at + digit > bytes.length ? "=" : DIGITS[(group >> (18 - 6 * digit)) & 63];
      }
    }
    return text;
  }

  // Without an event loop V8 never finishes a compilation in the background. Tools block, so nothing has to switch
  // stacks.
  delete WASM.promising;
  delete WASM.Suspending;
  WASM.compile = async (bytes) => new WASM.Module(bytes);
  WASM.instantiate = async (source, imports) => {
    if (source.byteLength === 0) {
      imports.env.memory = memory;
      const grow = imports.env.emscripten_resize_heap;
      imports.env.emscripten_resize_heap = (bytes) => {
        const hasGrown = grow(bytes);
        if (!hasGrown) refused();
        return hasGrown;
      };
      noteUses(imports.env);
      if (!links) imports["GOT.func"] = NO_ADDRESSES;
      const instance = new WASM.Instance(module, imports);
      return { module, instance: links ? instance : { exports: unlisted(instance.exports) } };
    }
    return source instanceof WASM.Module
      ? new WASM.Instance(source, imports)
      : { module: source, instance: new WASM.Instance(new WASM.Module(source), imports) };
  };

  /** Notes when Python reads or writes a property of an object of JavaScript, which may keep objects of Python. */
  const noteUses = (environment) => {
    for (const name of ["JsProxy_GetAttr_js", "JsProxy_SetAttr_js", "JsProxy_DelAttr_js"]) {
      const operate = environment[name];
      environment[name] = (...args) => {
        hasUsedObjects = true;
        return operate(...args);
      };
    }
  };

  /** The addresses that C code gets for functions of browsers. There are none of these functions. */
  const NO_ADDRESSES = new Proxy({}, { get: () => new WASM.Global({ value: "i32", mutable: true }, 0) });

  /**
   * Exports of the module. Only the exports that Pyodide looks for in the list are enumerable. Emscripten gives each
   * listed function an address and a variable for libraries that are linked later, which takes most of the start-up
   * time.
   */
  const unlisted = (exports) => {
    const found = Object.create(null);
    for (const name of getOwnPropertyNames(exports)) {
      const enumerable = name === "main" || name === "__main_argc_argv";
      defineProperty(found, name, { value: exports[name], enumerable });
    }
    const { assign } = Object;
    // Code that calls exports by name has a copy of all of them.
    Object.assign = (target, ...sources) => {
      if (sources[0] !== found) return assign(target, ...sources);
      Object.assign = assign;
      return assign(target, exports);
    };
    return found;
  };

  /** Boots Pyodide with `create` and `loadPyodide`, the exports of its two modules, from a snapshot if there is one. */
  const boot = async (create, loadPyodide, script, folder, makesSnapshot, canLink) => {
    links = canLink;
    guest = script;
    folderSystem = folder;
    module = native.module();
    const [initial, maximum] = native.pages();
    memory = new WASM.Memory({ initial, maximum });
    const header = native.header();
    const refuse = () => {
      throw new EvalError("There is no eval here");
    };
    pyodide = await loadPyodide({
      indexURL: "/pyodide/",
      // The order of sets is the same in each isolate, so that durable sessions can be replayed.
      env: { PYTHONHASHSEED: "0" },
      jsglobals: { setTimeout, clearTimeout: clearTimer, setInterval, clearInterval: clearTimer, eval: refuse },
      stdin: () => null,
      stdout: print,
      stderr: print,
      _makeSnapshot: makesSnapshot,
      _loadSnapshot: header,
      createPyodideModule: async (settings) => {
        const instance = await create(settings);
        if (header !== undefined) native.restore(memory);
        return instance;
      },
    });
    // Pyodide's file system has a copy, and no collection will run soon.
    library.transfer(0);
    library = undefined;
    if (header === undefined) {
      guest.prepare(pyodide, { prelude: native.text("prelude"), modules: native.modules() });
    } else {
      // The generator's state in a snapshot is that of its maker.
      reseed();
    }
  };

  /** Seeds Python's generator from the bytes that the host gives. */
  const reseed = () => {
    pyodide.runPython("import sys\nif 'random' in sys.modules: sys.modules['random'].seed()\ndel sys");
  };

  /**
   * State that must be kept in addition to the memory: the JavaScript objects that Python refers to, by where they are
   * found.
   */
  const takeSnapshot = () => {
    const text = encode(JSON.stringify(pyodide._api.serializeHiwireState()));
    const head = 48;
    const body = Math.ceil((head + text.length) / 16) * 16;
    const header = new Uint8Array(body);
    const words = new Uint32Array(header.buffer, 0, 12);
    words.set([SNAPSHOT_MAGIC, body, text.length, 0]);
    const build = pyodide._api.config.BUILD_ID;
    for (let word = 0; word < 8; word++) words[4 + word] = parseInt(build.slice(word * 8, word * 8 + 8), 16);
    header.set(text, head);
    return header;
  };

  /** V8 backs resizable buffers with pages that the embedder's allocators do not count. Guests get none of them. */
  const withoutResizableBuffers = () => {
    for (const name of ["ArrayBuffer", "SharedArrayBuffer"]) {
      const Native = globalThis[name];
      const Fixed = function (length) {
        if (new.target === undefined) throw new TypeError(`Constructor ${name} requires 'new'`);
        return Reflect.construct(Native, [length], new.target);
      };
      defineProperty(Fixed, "name", { value: name });
      Fixed.isView = Native.isView;
      Fixed.prototype = Native.prototype;
      defineProperty(Native.prototype, "constructor", { value: Fixed, writable: true, configurable: true });
      define(name, Fixed);
    }
  };

  /** If no memory is left for a file, reports a full disk instead of ending the interpreter. */
  const withFullFileSystem = (FS) => {
    const ENOSPC = 51;
    const { node, stream } = FS.filesystems.MEMFS.ops_table.file;
    const refuseTooLarge = (operations, name) => {
      const operate = operations[name];
      operations[name] = (...args) => {
        try {
          return operate(...args);
        } catch (error) {
          throw error instanceof RangeError ? new FS.ErrnoError(ENOSPC) : error;
        }
      };
    };
    refuseTooLarge(stream, "write");
    refuseTooLarge(node, "setattr");
  };

  /** Notes changes of files in memory, which are not in Python's memory. */
  const noteFileChanges = (FS) => {
    const { dir, file, link } = FS.filesystems.MEMFS.ops_table;
    const tables = [
      [dir.node, ["setattr", "mknod", "rename", "unlink", "rmdir", "symlink"]],
      [file.node, ["setattr"]],
      [file.stream, ["write", "allocate", "mmap", "msync"]],
      [link.node, ["setattr"]],
    ];
    for (const [operations, names] of tables) {
      for (const name of names) {
        const operate = operations[name];
        if (operate === undefined) continue;
        operations[name] = (...args) => {
          hasChangedFiles = true;
          return operate(...args);
        };
      }
    }
  };

  /** The entries of one of the interpreter's tables of JavaScript values. */
  const entriesOf = (get) => {
    const entries = [];
    for (;;) {
      try {
        entries.push(get(entries.length));
      } catch {
        // The end of a table is where WebAssembly traps.
        return entries;
      }
    }
  };

  const lookOutside = () => {
    const { _module: emscripten, FS } = pyodide;
    return {
      values: entriesOf(emscripten.__hiwire_get),
      constants: entriesOf(emscripten.__hiwire_immortal_get),
      functions: emscripten.wasmTable.length,
      stack: emscripten.stackSave(),
      streams: FS.streams.filter((stream) => stream),
      folder: FS.cwd(),
    };
  };

  /** Where Python's objects are that JavaScript holds. If they are the same, the interpreter has started in the same way. */
  const placesOf = (holders) => {
    const { _module: emscripten, _api: api } = pyodide;
    const places = [];
    for (const holder of holders) {
      for (const name of getOwnPropertyNames(holder)) {
        const { value } = Object.getOwnPropertyDescriptor(holder, name);
        if (api.isPyProxy(value)) places.push([name, emscripten.PyProxy_getPtr(value)]);
      }
    }
    return places;
  };

  const noteSealed = () => {
    const found = lookOutside();
    const { values, constants, functions, stack } = found;
    const kinds = [values, constants].map((list) =>
      list.map((value) => (typeof value === "string" ? [value] : typeof value)),
    );
    const places = placesOf([pyodide, pyodide._api, adapter.held ?? {}]);
    const start = JSON.stringify([kinds, functions, stack, places]);
    const maps = [...values, ...constants].filter((value) => value instanceof Map);
    sealed = { ...found, start, maps: maps.map((map) => [map, [...map]]) };
    hasChangedFiles = hasUsedObjects = false;
  };

  const isSame = (list, other) => list.length === other.length && list.every((item, at) => item === other[at]);

  /**
   * JSON of what Python's memory refers to outside of it, or why that cannot be told. Objects of JavaScript are told by
   * their place in `sealed`.
   */
  const outside = () => {
    const found = lookOutside();
    const { values, constants } = found;
    if (isBroken) return "the interpreter is broken";
    if (hasUsedObjects) return "objects of JavaScript were used";
    if (timers.size > 0) return "a timer is set";
    if (found.stack !== sealed.stack) return "the interpreter is at work";
    if (found.functions !== sealed.functions) return "functions were linked to the interpreter";
    if (hasChangedFiles || found.folder !== sealed.folder) return "files in memory were changed";
    if (!isSame(found.streams, sealed.streams)) return "a file is open";
    if (found.streams.some(({ devops }) => devops?.output?.length > 0)) return "a line of output is incomplete";
    const places = values.map((value, at) => (value === sealed.values[at] ? at : sealed.values.indexOf(value)));
    const isKnown = places.every((place, at) => place >= 0 || values[at] === null);
    const isKept = sealed.maps.every(([map, entries]) => isSame([...map].flat(), entries.flat()));
    if (!isKnown || !isKept) return "an object of JavaScript is in use";
    const count = sealed.constants.length;
    const texts = constants.slice(count);
    const isConstant =
      isSame(constants.slice(0, count), sealed.constants) && texts.every((text) => typeof text === "string");
    if (!isConstant) return "an object of JavaScript is in use";
    return JSON.stringify({ start: sealed.start, places, texts });
  };

  /**
   * Makes the outside of the memory what `outside` has told, and gives the memory `bytes` bytes.
   *
   * @returns why that is not possible; empty if it was done
   */
  const admit = (text, bytes) => {
    const { start, places, texts } = JSON.parse(text);
    if (start !== sealed.start) return "its interpreter has started in another way";
    const isPlace = (place) => Number.isInteger(place) && place >= -1 && place < sealed.values.length;
    if (!places.every(isPlace) || !texts.every((constant) => typeof constant === "string"))
      return "it has another form";
    const { _module: emscripten } = pyodide;
    const pages = (bytes - memory.buffer.byteLength) / PAGE_BYTES;
    try {
      if (pages > 0) memory.grow(pages);
    } catch {
      return "it needs more memory";
    }
    emscripten._emscripten_notify_memory_growth(0);
    const { length } = entriesOf(emscripten.__hiwire_get);
    for (let at = 0; at < Math.max(length, places.length); at++) {
      const place = places[at] ?? -1;
      if (emscripten.__hiwire_set(at, place < 0 ? null : sealed.values[place]) < 0) return "it needs more memory";
    }
    for (const constant of texts) emscripten.__hiwire_immortal_add(constant);
    return "";
  };

  /**
   * The part of WebAssembly that stays if packages load libraries: modules that the host allows, and their instances.
   */
  const librariesOf = ({ library }) => {
    const Module = function (bytes) {
      return library(bytes);
    };
    Module.prototype = WASM.Module.prototype;
    const { Instance, Global, RuntimeError, Exception } = WASM;
    return { Module, Instance, Global, RuntimeError, Exception };
  };

  /** The last step: removes everything that only booting needs, and connects the guest. */
  const seal = (signal, host, hasPackages) => {
    // Python waits for tools.
    host.blocks = true;
    withoutResizableBuffers();
    withFullFileSystem(pyodide.FS);
    host.broken = () => {
      isBroken = true;
    };
    pyodide._api.on_fatal = host.broken;
    pyodide.setInterruptBuffer(signal);
    for (const name of ["Memory", "Table", "Global", "Module", "Instance", "Tag", "Exception"]) {
      if (WASM[name]?.prototype !== undefined) delete WASM[name].prototype.constructor;
    }
    for (const name of ["WebAssembly", "read", "load", "readbuffer"]) delete globalThis[name];
    if (hasPackages) {
      define("WebAssembly", librariesOf(host));
      pyodide.runPython("import sys\nsys.path.append('/packages')\ndel sys");
    }
    adapter = guest.connect(pyodide, host);
    guest = undefined;
    module = undefined;
    noteFileChanges(pyodide.FS);
    noteSealed();
  };

  return {
    boot,
    takeSnapshot,
    reseed,
    rehearse: (program) => guest.rehearse(pyodide, program),
    seal,
    nextTimer,
    runTimer,
    memory: () => memory,
    isBroken: () => isBroken,
    outside,
    admit,
    run: (code, maxOperations) => adapter.run(code, maxOperations),
    setVariables: (names, values) => adapter.setVariables(names, values),
    setTools: (tools) => adapter.setTools(tools),
    mount: (files, path) => {
      const { FS } = pyodide;
      FS.mkdirTree(path);
      FS.mount(folderSystem(files, FS), {}, path);
    },
    forgetTimers: () => timers.clear(),
  };
};
