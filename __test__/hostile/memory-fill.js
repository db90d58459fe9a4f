// attack: Array(1e8).fill
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":25000}
// peak: 384 the table of elements, and a copy while it grows
return Array(1e8).fill(1).length;
