// attack: sort of 2^30 elements that do not exist, for which V8 gives up at once
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return Array.prototype.sort.call({ length: 2 ** 30 }).length;
