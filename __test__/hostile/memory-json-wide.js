// attack: JSON of 60,000,000 elements
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":25000}
// peak: 608 one array of 480 MB, in one built-in
return JSON.parse(`[${'0,'.repeat(6e7)}0]`).length;
