// attack: a pattern of 500,000 assertions that look ahead
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('(?!a)'.repeat(1e6)).test('c');
