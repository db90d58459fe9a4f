// attack: a program of 150,000 functions, which V8 takes 200 MB to compile
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
export const code = `return [${'()=>1,'.repeat(140_000)}].length`;
