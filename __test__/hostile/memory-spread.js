// attack: the spread of a string of 50 million characters
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":4000}
// peak: 528 one array of 400 MB, in one built-in
return [...'x'.repeat(5e7)].length;
