// `import(specifier)` of guest code. The host decides by the string; it never sees the object it came from.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { op_import } = boot.ops;

  boot.import = async (specifier) => {
    const name = `${specifier}`;
    return boot.withoutDead(() => boot.forModule(() => op_import(name)));
  };
})();
