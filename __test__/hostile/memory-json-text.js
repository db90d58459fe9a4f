// attack: JSON text of half a gigabyte
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":6000}
// peak: 900 one string of 500 million characters, and its last half while it grows
return JSON.stringify(Array(5e6).fill('x'.repeat(90))).length;
