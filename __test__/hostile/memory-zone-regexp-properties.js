// attack: 20,000 properties in one pattern, whatever their case
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('\\p{L}'.repeat(20_000), 'iu').test('a');
