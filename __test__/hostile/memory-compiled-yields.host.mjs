// attack: 100,000 yields in one generator
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `function* g() { ${'yield 1;'.repeat(100_000)} } for (const x of g()); return 1`;
