// attack: a call of what is no function in a line of 300,000 open brackets, through which a hint is looked for
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":10000}
export const code = `const text = "${'('.repeat(300_000)}"; text.missing();`;
