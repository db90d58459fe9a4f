// attack: a call of a value that is not a function, in a line of 300,000 open brackets that the search for a hint has to read
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":10000}
export const code = `const text = "${'('.repeat(300_000)}"; text.missing();`;
