// attack: 20,000 negated properties in one class of sets
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp(`[${'\\P{Lu}'.repeat(20_000)}]`, 'v').test('a');
