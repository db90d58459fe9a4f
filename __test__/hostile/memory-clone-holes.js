// attack: a list of buffers to transfer that has 2^32 - 1 places
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":40000}
const list = [];
list.length = 2 ** 32 - 1;
return structuredClone(1, { transfer: list });
