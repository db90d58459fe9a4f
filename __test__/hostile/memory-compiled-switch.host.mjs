// attack: a switch of 25,000 cases in a hot loop
// outcome: value 1, and nothing goes on
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
export { rest } from './compiled.mjs';

export const code = `let x = 0; for (let i = 0; i < 1e5; i++) switch (i) { ${Array.from({ length: 25_000 }, (_, i) => `case ${i}: x++; break;`).join('')} }; return 1`;
