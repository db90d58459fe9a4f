// attack: a pattern that String.prototype.search compiles
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return 'c'.search('a?'.repeat(2e6));
