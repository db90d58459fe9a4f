// attack: a pattern of three million dots
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('.'.repeat(3e6), 'is').test('c');
