// attack: includes of an array-like of 2^53 elements
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);
