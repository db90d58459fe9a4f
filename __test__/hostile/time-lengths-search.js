// attack: searching an array-like of 2^53 elements that do not exist, which V8 does without a look at termination
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
