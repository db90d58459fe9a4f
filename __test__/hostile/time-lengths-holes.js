// attack: forEach of an array of 2^32 holes, with a built-in as callback
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const holes = [];
holes.length = 2 ** 32 - 1;
return holes.forEach(Math.max);
