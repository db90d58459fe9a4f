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
  const OBJECT_CALLS = ["JsProxy_GetAttr_js", "JsProxy_SetAttr_js", "JsProxy_DelAttr_js"];
  const NAME_CALLS = ["_emscripten_lookup_name", "getaddrinfo", "getnameinfo"];
  /** Of one read. */
  const MAX_RANDOM_BYTES = 1 << 16;
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
  /** The functions of `files.js` and `outside.js`, and what they return. */
  let filesOf;
  let files;
  let outsideOf;
  let outside;
  /** Why a checkpoint cannot hold what Python has used since the start. */
  let unheld;

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
      // Objects of JavaScript may keep objects of Python, and addresses of names are numbered.
      noteCalls(imports.env, OBJECT_CALLS, "objects of JavaScript were used");
      noteCalls(imports.env, NAME_CALLS, "names of hosts were looked up");
      if (!links) imports["GOT.func"] = NO_ADDRESSES;
      const instance = new WASM.Instance(module, imports);
      return { module, instance: links ? instance : { exports: unlisted(instance.exports) } };
    }
    return source instanceof WASM.Module
      ? new WASM.Instance(source, imports)
      : { module: source, instance: new WASM.Instance(new WASM.Module(source), imports) };
  };

  const noteCalls = (functions, names, reason) => {
    for (const name of names) {
      const operate = functions[name];
      functions[name] = (...args) => {
        unheld = reason;
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
  const boot = async (create, loadPyodide, scripts, makesSnapshot, canLink) => {
    links = canLink;
    [guest, folderSystem, filesOf, outsideOf] = scripts;
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

  /** The devices of Emscripten keep bytes for later reads, which no checkpoint would have. */
  const withoutKeptRandomBytes = (FS) => {
    for (const path of ["/dev/random", "/dev/urandom"]) {
      const { node } = FS.lookupPath(path);
      FS.getDevice(node.rdev).stream_ops.read = (stream, buffer, offset, length) => {
        const bytes = random(Math.min(length, MAX_RANDOM_BYTES));
        buffer.set(bytes, offset);
        node.atime = Date.now();
        return bytes.length;
      };
    }
  };

  /** What Python's memory refers to outside of it, as a list that begins with JSON. A string: why that cannot be told. */
  const tellOutside = () => {
    if (isBroken) return "the interpreter is broken";
    if (timers.size > 0) return "a timer is set";
    return unheld ?? outside.tell();
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
    withoutKeptRandomBytes(pyodide.FS);
    files = filesOf(pyodide.FS);
    outside = outsideOf(pyodide, memory, files, adapter.held ?? {});
    unheld = undefined;
  };

  return {
    boot,
    takeSnapshot,
    beginSession: () => {
      files.touch();
      reseed();
    },
    rehearse: (program) => guest.rehearse(pyodide, program),
    seal,
    nextTimer,
    runTimer,
    memory: () => memory,
    isBroken: () => isBroken,
    outside: tellOutside,
    admit: (text, bytes, contents) => outside.admit(text, bytes, contents),
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
