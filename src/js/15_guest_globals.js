// The allow-list of the guest's global: the language, without what observes garbage collection, shares memory or
// schedules behind the executor's back. Everything else is deleted, at the end of the bootstrap or at isolate start.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  boot.guestGlobals = [
    "Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean",
    "String", "Symbol", "Date", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError",
    "ReferenceError", "SyntaxError", "TypeError", "URIError", "SuppressedError", "globalThis", "JSON", "Math", "Intl",
    "ArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array",
    "Float16Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array", "BigInt64Array",
    "DataView", "Map", "BigInt", "Set", "Iterator", "WeakMap", "WeakSet", "Proxy", "Reflect", "DisposableStack",
    "AsyncDisposableStack", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape",
    "unescape", "eval", "isFinite", "isNaN",
  ];
  boot.endowments = ["console", "final_answer", "harden"];
})();
