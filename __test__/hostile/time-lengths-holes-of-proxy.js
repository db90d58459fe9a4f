// attack: filter of a proxy of an array of 2^32 holes
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const holes = [];
holes.length = 2 ** 32 - 1;
return new Proxy(holes, {}).filter(Boolean).length;
