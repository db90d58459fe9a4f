// Runs SES lockdown with the options of the specification's Appendix A. Then adapts the start realm for guests: one
// constructor per class (SES has two and gives compartments the powerless one), native `captureStackTrace`, and no
// names of the shim.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, feral } = boot;
  const { defineProperty, freeze, TypeError } = p;

  lockdown({
    errorTaming: "unsafe",
    stackFiltering: "concise",
    overrideTaming: "moderate",
    // Intl is available, and reveals no more about the host than these methods do.
    localeTaming: "unsafe",
    consoleTaming: "unsafe",
  });

  const define = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const accessor = (object, key, get, set) =>
    defineProperty(object, key, { __proto__: null, get, set, enumerable: false, configurable: true });

  // Does the same as SES's override taming: assignment on an instance can shadow a property of a frozen prototype. Each
  // isolate reads all of these functions when it starts. Their parameters have no defaults, so that V8 makes one scope
  // for the two functions.
  const overridable = (object, key, original, enumerable) => {
    // V8 inlines the value of a constant.
    const value = original;
    const { get, set } = {
      get() {
        return value;
      },
      set(shadow) {
        if (this === object) {
          throw new TypeError(`Cannot assign to read only property '${p.String(key)}' of a built-in`);
        }
        if (p.hasOwn(this, key)) {
          this[key] = shadow;
          return;
        }
        defineProperty(this, key, {
          __proto__: null,
          value: shadow,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
    };
    // Code that walks the realm looks for the value here.
    defineProperty(get, "originalValue", { __proto__: null, value });
    defineProperty(object, key, { __proto__: null, get, set, enumerable: enumerable === true, configurable: true });
  };

  // SES's own accessors do the same, but their scope keeps the whole shim alive.
  boot.walkRealm((object) => {
    const keys = p.ownKeys(object);
    for (let i = 0; i < keys.length; i++) {
      const { get, enumerable } = p.getDescriptor(object, keys[i]);
      if (get !== undefined && p.hasOwn(get, "originalValue")) {
        overridable(object, keys[i], get.originalValue, enumerable);
      }
    }
  });

  // Programs use plain objects as dictionaries, so `counts["constructor"] = 1` must work. The properties of
  // Object.prototype that "moderate" leaves out are made overridable too.
  for (const key of ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"]) {
    overridable(Object.prototype, key, Object.prototype[key]);
  }

  // Libraries of the last twenty years set these properties on their own instances and prototypes. Two kinds stay as
  // they are: properties that V8's fast paths for arrays, promises and regular expressions check, and symbols, which
  // iteration uses.
  const fastHomes = [Array.prototype, Promise.prototype, RegExp.prototype];
  const enable = (object, keys) => {
    for (const key of keys) {
      const descriptor = p.getDescriptor(object, key);
      const isMethod = typeof descriptor?.value === "function" || typeof descriptor?.value === "string";
      const isUnchanged = key === "constructor" && p.arrayIncludes(fastHomes, object);
      if (isMethod && !isUnchanged) overridable(object, key, descriptor.value);
    }
  };
  for (const { prototype } of [Array, Date, Map, Set, WeakMap, WeakSet]) {
    enable(
      prototype,
      p.ownKeys(prototype).filter((key) => typeof key === "string"),
    );
  }
  const errors = [Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
  for (const { prototype } of errors) enable(prototype, ["constructor", "name", "message", "toString"]);
  for (const { prototype } of [ArrayBuffer, BigInt, Boolean, DataView, Number, Promise, RegExp, String, Symbol]) {
    enable(prototype, ["constructor", "toString", "valueOf"]);
  }

  // Buffers cannot be resized (10_defer_freezing.js), and libraries test whether the method exists.
  delete ArrayBuffer.prototype.resize;

  define(Object, "freeze", freeze);
  define(Object, "defineProperty", defineProperty);
  delete Object[Symbol.for("harden")];

  // The clock and random numbers stay (SECURITY.md): the constructor with the current time is the only Date.
  overridable(Date.prototype, "constructor", Date);

  // A function's text is the source that its author wrote. V8 has only the generated code. The engine's own functions
  // show no source.
  const nativeText = p.uncurryThis(feral.toString);
  const { op_function_text } = boot.ops;
  const { toString: functionText } = {
    toString() {
      const text = nativeText(this);
      const written = op_function_text(this);
      if (typeof written === "string") return written;
      if (written === undefined) return text;
      const name = p.getDescriptor(this, "name")?.value;
      return `function ${typeof name === "string" ? name : ""}() { [native code] }`;
    },
  };
  overridable(Function.prototype, "toString", functionText);

  // The shared Error. The embedder's callback makes stack strings, so capturing a stack exposes no CallSite. The engine
  // never calls or reads anything that the guest assigns.
  const SharedError = Error.prototype.constructor;
  const lenient = { stackTraceLimit: () => 10, prepareStackTrace: () => undefined, ignore(_) {} };
  define(SharedError, "captureStackTrace", p.captureStackTrace);
  accessor(SharedError, "stackTraceLimit", lenient.stackTraceLimit, lenient.ignore);
  accessor(SharedError, "prepareStackTrace", lenient.prepareStackTrace, lenient.ignore);

  // SES formats stacks through these functions. V8 keeps the original constructor alive, and with it the shim.
  delete feral.Error.prepareStackTrace;
  define(feral.Error, "captureStackTrace", p.captureStackTrace);

  define(globalThis, "Error", SharedError);
  define(globalThis, "RegExp", feral.RegExp);
  define(globalThis, "Symbol", Symbol.prototype.constructor);

  // Code from strings is off. The messages of SES's constructors do not say so. Older libraries find the global by one
  // particular source string.
  const CODE_IS_OFF = "Code from strings is off here: write the code itself, or use a function";
  const functionMakers = [function () {}, function* () {}, async function () {}, async function* () {}];
  const isThis = (args) =>
    args.length === 1 && typeof args[0] === "string" && p.regExpTest(/^\s*return\s+this\s*;?\s*$/, args[0]);
  const makeGlobal = () =>
    function anonymous() {
      return globalThis;
    };
  const inertConstructors = functionMakers.map((made) => {
    const prototype = p.getPrototypeOf(made);
    const inert = prototype.constructor;
    const mayFind = prototype === Function.prototype;
    const replacement = function Function(...args) {
      if (mayFind && isThis(args)) return makeGlobal();
      throw new EvalError(CODE_IS_OFF);
    };
    for (const key of p.ownKeys(inert)) {
      defineProperty(replacement, key, { __proto__: null, ...p.getDescriptor(inert, key) });
    }
    overridable(prototype, "constructor", replacement);
    return replacement;
  });
  for (let i = 1; i < inertConstructors.length; i++) Object.setPrototypeOf(inertConstructors[i], inertConstructors[0]);
  define(globalThis, "Function", inertConstructors[0]);
  const { eval: evaluate } = {
    eval(code) {
      if (typeof code === "string") throw new EvalError(CODE_IS_OFF);
      return code;
    },
  };
  define(globalThis, "eval", evaluate);
  // Libraries look for the global here.
  define(globalThis, "self", globalThis);
  define(globalThis, "global", globalThis);

  // Properties that V8 adds to a class that SES replaced must be copied to the replacement when an isolate starts. SES
  // has left out the properties that exist now on purpose.
  boot.twins = [
    [feral.Error, globalThis.Error],
    [feral.Symbol, globalThis.Symbol],
  ].map(([from, to]) => ({ __proto__: null, from, to }));
})();
