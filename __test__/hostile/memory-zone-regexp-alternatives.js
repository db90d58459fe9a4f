// attack: a pattern of two million alternatives
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('a|b'.repeat(2e6)).test('c');
