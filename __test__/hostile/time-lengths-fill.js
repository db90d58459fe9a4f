// attack: fill of 2^53 elements, which fill the heap
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":20000}
// peak: 256 the elements, and a copy while there are more
return Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0).length;
