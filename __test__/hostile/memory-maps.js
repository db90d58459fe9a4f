// attack: a Map without end
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const map = new Map();
for (let i = 0; ; i++) map.set(i, { i });
