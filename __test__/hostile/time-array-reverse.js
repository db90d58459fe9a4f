// attack: reverse of a proxy with 2^53 elements
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return Array.prototype.reverse.call(new Proxy({ length: 2 ** 53 - 1 }, {})).length;
