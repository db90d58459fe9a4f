// attack: a counter whose label has half a gigabyte
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":12000}
// peak: 640 the string, once it is flat
console.count('x'.repeat(2 ** 29 - 100));
