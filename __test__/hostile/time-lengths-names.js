// attack: a list of 2^32 names of properties for JSON.stringify
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const names = [];
names.length = 2 ** 32 - 1;
return JSON.stringify({ a: 1 }, names);
