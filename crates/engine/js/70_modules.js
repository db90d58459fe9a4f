// `import(specifier)` of guest code. The host decides by the string and never sees the object that it came from.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { op_compile_module, op_evaluate_module } = boot.ops;

  boot.import = async (specifier) => {
    const name = `${specifier}`;
    // A refusal is thrown where the guest calls `import`.
    op_compile_module(name);
    // As in the language, no module is evaluated during the evaluation of another module, which may contain this
    // import.
    await undefined;
    return boot.forModule(name, () => op_evaluate_module(name));
  };
})();
