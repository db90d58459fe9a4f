// attack: a pattern that String.prototype.match compiles
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return 'c'.match('.'.repeat(3e6));
