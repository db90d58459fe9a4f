// attack: flat of an array with 2^32 holes inside of another array
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const holes = [];
holes.length = 2 ** 32 - 1;
return [[holes]].flat(3).length;
