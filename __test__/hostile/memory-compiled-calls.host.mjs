// attack: 90,000 calls in one hot function
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `const f = (x) => x; for (let i = 0; i < 100; i++) { ${'f(f(f(i)));'.repeat(30_000)} } return 1`;
