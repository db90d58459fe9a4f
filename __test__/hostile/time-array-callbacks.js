// attack: callbacks of built-ins over 2^53 elements that do not exist
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return Array.prototype.reduce.call({ length: 2 ** 53 - 1, 0: 1 }, (sum) => sum + 1, 0);
