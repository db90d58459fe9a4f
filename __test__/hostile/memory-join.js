// attack: join of an array of holes with a separator
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":6000}
// peak: 700 one string of 500 million characters, in one built-in
return Array(2.5e8).join('xx').charCodeAt(3);
