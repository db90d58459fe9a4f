// attack: 30,000 handlers around awaits
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `${'try { await 0 } catch {};'.repeat(30_000)} return 1`;
