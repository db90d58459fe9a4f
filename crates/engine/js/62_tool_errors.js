// Adds to errors of host tools what the host's errors have besides name, message and code: `ErrorDetails` of
// lib/contract/error-details.ts.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p, setStack } = boot;
  const { Error, RangeError, ReferenceError, SyntaxError, TypeError } = p;
  const { arrayPush, defineProperty, freeze, hasOwn, isExtensible, reflectDelete, setPrototypeOf } = p;
  const aggregatePrototype = p.AggregateError.prototype;
  // The same as in crates/engine/src/errors/marks.rs.
  const constructors = { __proto__: null, RangeError, ReferenceError, SyntaxError, TypeError };

  const define = (error, key, value, enumerable) =>
    defineProperty(error, key, { __proto__: null, value, writable: true, enumerable, configurable: true });

  // The value or the error that a part stands for.
  const valueOf = (part) => {
    if (part.length === 1) return part[0];
    const { 0: name, 1: message, 2: code, 3: details } = part;
    const error = new (constructors[name] ?? Error)(message);
    if (error.name !== name) define(error, "name", name, false);
    if (code !== undefined) define(error, "code", code, false);
    if (details !== undefined) addDetails(error, details);
    setStack(error);
    return isExtensible(part) ? error : freeze(error);
  };

  // If `details` are hardened, so is all that `error` gets.
  const addDetails = (error, details) => {
    if (hasOwn(details, "isAggregate")) {
      setPrototypeOf(error, aggregatePrototype);
      // The prototype has it.
      if (error.name === "AggregateError") reflectDelete(error, "name");
    }
    if (hasOwn(details, "cause")) define(error, "cause", valueOf(details.cause), false);
    if (hasOwn(details, "errors")) {
      const errors = [];
      for (let i = 0; i < details.errors.length; i++) arrayPush(errors, valueOf(details.errors[i]));
      define(error, "errors", isExtensible(details) ? errors : freeze(errors), false);
    }
    if (hasOwn(details, "status")) define(error, "status", details.status, true);
    if (hasOwn(details, "data")) define(error, "data", details.data, true);
  };

  boot.addDetails = addDetails;
})();
