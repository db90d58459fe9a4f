// attack: a pattern of a million references to one group
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp(`(a)${'\\1'.repeat(1e6)}`).test('c');
