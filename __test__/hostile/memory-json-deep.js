// attack: JSON of 2,000,000 levels, parsed and written
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":25000}
// peak: 192 the parser's own stack of 2,000,000 levels, in one built-in
const text = '['.repeat(2_000_000) + ']'.repeat(2_000_000);
return JSON.stringify(JSON.parse(text)).length;
