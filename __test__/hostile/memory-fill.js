// attack: Array(1e8).fill in one built-in
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":25000}
// peak: 928 one array of 800 MB, in one built-in
return Array(1e8).fill(1).length;
