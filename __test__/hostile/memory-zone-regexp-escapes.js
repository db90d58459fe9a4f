// attack: a pattern of a million escaped characters, each a node
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp('\\u{1f600}?'.repeat(1e6), 'u').test('c');
