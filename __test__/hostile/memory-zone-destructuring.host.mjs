// attack: a program that declares 100,000 names in one pattern
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
// peak: 192 the syntax tree, and what is beyond the limit until the thread is parked
export const code = `let [${Array.from({ length: 100_000 }, (_, i) => `a${i}`)}] = []; return 1`;
