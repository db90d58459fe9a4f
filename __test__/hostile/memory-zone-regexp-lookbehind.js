// attack: a pattern of 500,000 assertions that look back
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('(?<=a)'.repeat(5e5)).test('c');
