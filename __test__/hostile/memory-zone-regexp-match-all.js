// attack: a pattern that String.prototype.matchAll compiles
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return [...'c'.matchAll('a|b'.repeat(2e6))].length;
