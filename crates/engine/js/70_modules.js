// `import(specifier)` of guest code. The host decides by the string; it never sees the object it came from.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { op_compile_module, op_evaluate_module } = boot.ops;

  boot.import = async (specifier) => {
    const name = `${specifier}`;
    // What is refused is refused where the guest asks for it.
    op_compile_module(name);
    // As the language has it, no module is evaluated while another one is, which may be the one that asks.
    await undefined;
    return boot.forModule(name, () => op_evaluate_module(name));
  };
})();
