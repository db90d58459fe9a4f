// attack: split of a string of 100 million characters
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":4000}
// peak: 928 one array of 800 MB, in one built-in
return 'x'.repeat(1e8).split('').length;
