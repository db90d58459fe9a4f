// attack: a hot loop with a body of half a megabyte
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `let x = 0; for (let i = 0; i < 200; i++) { ${'x = x + i | 0;'.repeat(35_000)} } return 1`;
