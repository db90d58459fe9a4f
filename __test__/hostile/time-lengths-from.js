// attack: Array.from of 2^32 elements, which fill the heap
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":20000}
// peak: 256 the array, and a copy while it grows
return Array.from({ length: 2 ** 32 - 1 }).length;
