// attack: global properties with the names that generated code uses, to replace guards
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
const fake = () => 1e9;
for (const suffix of ['budget', 'done', 'guard', 'rethrow', 'declare', 'import', 'realm', 'boot']) {
  try {
    Object.defineProperty(globalThis, `__${'smol'}_${suffix}`, { get: () => 1e9, set: fake, configurable: true });
  } catch {
    // taken
  }
}
for (;;);
