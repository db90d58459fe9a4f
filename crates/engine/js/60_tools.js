// Host functions and variables as the guest sees them.
//
// A tool is a native function without prototype, made by the host. Top-level tool names are accessors that guests
// cannot redefine or delete. The host can replace the value in the cell of an accessor.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p } = boot;
  const { arrayPush, defineProperty, freeze, newMap, newWeakSet, ownKeys, reflectDefine } = p;

  // Builds the functions of `specs`, nested by their paths. Returns a null-prototype object of name -> tool or
  // namespace.
  const makeNamespaces = (specs) => {
    const root = { __proto__: null };
    const children = newMap();
    children.set(root, { __proto__: null });
    const namespaces = [];
    for (let i = 0; i < specs.length; i++) {
      const { path } = specs[i];
      let at = root;
      for (let k = 0; k < path.length - 1; k++) {
        const inner = children.get(at);
        if (inner[path[k]] === undefined) {
          const namespace = {};
          arrayPush(namespaces, namespace);
          children.set(namespace, { __proto__: null });
          inner[path[k]] = namespace;
          defineProperty(at, path[k], { __proto__: null, value: namespace, enumerable: true, configurable: true });
        }
        at = inner[path[k]];
      }
      const name = path[path.length - 1];
      const value = freeze(specs[i].tool);
      defineProperty(at, name, { __proto__: null, value, enumerable: true, configurable: true });
    }
    for (let i = 0; i < namespaces.length; i++) freeze(namespaces[i]);
    return root;
  };

  // Tool names -> { value }, which the accessor reads.
  const cells = newMap();

  const defineTool = (name, value) => {
    const cell = cells.get(name);
    if (cell !== undefined) {
      cell.value = value;
      return true;
    }
    const fresh = { __proto__: null, value };
    const get = freeze(() => fresh.value);
    if (!reflectDefine(globalThis, name, { __proto__: null, get, enumerable: true, configurable: false })) return false;
    cells.set(name, fresh);
    return true;
  };

  // The tool or namespace of a name, if the host has provided one.
  boot.toolAt = (name) => cells.get(name)?.value;

  // Returns the names that could not be defined, because the realm or the guest has fixed them.
  boot.installTools = (specs) => {
    const refused = [];
    const tools = makeNamespaces(specs);
    const names = ownKeys(tools);
    for (let i = 0; i < names.length; i++) {
      if (!defineTool(names[i], tools[names[i]])) arrayPush(refused, names[i]);
    }
    return refused;
  };

  // Objects that are variables of the host.
  boot.sent = newWeakSet();

  // `values` come from structured clone. Returns the names that could not be defined.
  boot.setVariables = (names, values) => {
    const refused = [];
    for (let i = 0; i < names.length; i++) {
      const value = boot.hardenFresh(values[i]);
      if (boot.isObject(value)) boot.sent.add(value);
      const cell = cells.get(names[i]);
      if (cell !== undefined) {
        cell.value = value;
        continue;
      }
      const isDefined = reflectDefine(globalThis, names[i], {
        __proto__: null,
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      if (!isDefined) arrayPush(refused, names[i]);
    }
    return refused;
  };

  // Export name -> value of a module that the host provides; `values` come from structured clone.
  boot.buildExports = (names, values, functionSpecs) => {
    const exports = makeNamespaces(functionSpecs);
    for (let i = 0; i < names.length; i++) {
      const value = boot.hardenFresh(values[i]);
      defineProperty(exports, names[i], { __proto__: null, value, enumerable: true, configurable: true });
    }
    return freeze(exports);
  };
})();
