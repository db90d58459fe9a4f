// attack: reduceRight of nothing, which never finds a first value
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return Array.prototype.reduceRight.call({ length: 2 ** 53 - 1 }, Math.max);
