// attack: 131,000 awaits in one function, which an optimising compiler takes gigabytes for
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `${'await 0;'.repeat(131_000)} return 1`;
