// attack: 10 MB of source
// outcome: ERR_VALIDATION_FAILED
// state: READY
// processPeak: 64 the text is the host's own, and copied on its way
// options: {"timeoutMs":1000}
// details: {"diagnostics":[{"rule":"code_too_large","severity":"ERROR"}]}
export const code = 'let a = 1; a + 1; '.repeat(600_000);
