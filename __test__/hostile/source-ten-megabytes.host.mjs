// attack: 10 MB of source
// outcome: ERR_VALIDATION_FAILED
// state: READY
// options: {"timeoutMs":1000}
// details: {"diagnostics":[{"rule":"code_too_large","severity":"ERROR"}]}
export const code = 'let a = 1; a + 1; '.repeat(600_000);
