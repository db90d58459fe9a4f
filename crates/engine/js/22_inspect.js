// Takes the functions that the console needs from the inspect library, and hardens those that guests can reach.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { p } = boot;
  const iteratorPrototype = p.getPrototypeOf(p.getPrototypeOf([].values()));

  // The descriptor that a property would have without SES's override taming. The properties of Iterator.prototype are
  // accessors in the language, too.
  const describe = (object, key) => {
    const descriptor = p.getDescriptor(object, key);
    const isOverridable =
      object !== iteratorPrototype && descriptor?.get !== undefined && p.hasOwn(descriptor.get, "originalValue");
    if (!isOverridable) return descriptor;
    const { enumerable, get } = descriptor;
    return { __proto__: null, value: get.originalValue, writable: true, enumerable, configurable: true };
  };

  const typedArrays = { __proto__: null };
  for (const name of boot.guestGlobals) {
    if (name.endsWith("Array") && name !== "Array") typedArrays[name] = globalThis[name];
  }
  const source = p.apply(boot.feral.toString, boot.inspectModule, []);
  const loaded = p.newMap();
  const natives = {
    __proto__: null,
    loaded,
    typedArrays,
    describe,
    // Configurable, so that its table can be emptied. Names that the library does not use are left out: a string that
    // was once a property name stays in the snapshot, and each isolate reads all of them when it starts.
    defineMalleable: (object, key, descriptor) =>
      (typeof key === "string" && !p.stringIncludes(source, key)) ||
      p.reflectDefine(object, key, { __proto__: null, ...descriptor, configurable: true }),
    types: boot.types,
    util: boot.util,
    builtinNames: boot.guestGlobals,
    primordials: undefined,
    forget: undefined,
    load: undefined,
  };
  const library = boot.inspectModule(natives);
  const { inspect, formatWithOptions, getStringWidth } = library;

  const options = p.freeze({ __proto__: null });
  boot.toHarden = [inspect];
  inspect({
    [Symbol.for("nodejs.util.inspect.custom")](_, { stylize }) {
      p.arrayPush(boot.toHarden, stylize);
    },
  });
  inspect(
    new Proxy(
      {
        [Symbol.for("nodejs.util.inspect.custom")](_, { stylize }) {
          p.arrayPush(boot.toHarden, stylize);
        },
      },
      {},
    ),
  );

  // Loads everything that is loaded on demand. Then the modules and the library's own table of built-ins can be freed.
  inspect(new ArrayBuffer(1));
  const onDemand = [223, 778, 812];
  for (const id of onDemand) natives.load(id);
  p.mapForEach(loaded, (_, id) => {
    if (!onDemand.includes(id)) loaded.delete(id);
  });
  natives.forget();
  natives.forget = undefined;
  natives.load = undefined;
  natives.builtinNames = undefined;
  for (const key of p.ownKeys(natives.primordials)) p.reflectDelete(natives.primordials, key);
  natives.primordials = undefined;

  boot.format = (args) => {
    p.arrayUnshift(args, options);
    return p.apply(formatWithOptions, null, args);
  };
  boot.inspect = (value, inspectOptions) => inspect(value, inspectOptions);
  boot.getStringWidth = getStringWidth;
})();
