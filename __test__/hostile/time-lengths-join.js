// attack: join of 2^53 elements by nothing
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return Array.prototype.join.call({ length: 2 ** 53 - 1 }, '');
