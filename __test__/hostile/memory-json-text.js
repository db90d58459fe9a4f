// attack: JSON text of half a gigabyte
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":20000}
return JSON.stringify(Array(5e6).fill('x'.repeat(90))).length;
