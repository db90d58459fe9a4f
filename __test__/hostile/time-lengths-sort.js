// attack: sort of an array of 2^31 holes, of which V8 makes a list first
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const holes = [];
holes.length = 2 ** 31;
return holes.sort().length;
