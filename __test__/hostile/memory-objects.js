// attack: heap objects without end
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (;;) hoard.push({ at: hoard.length, list: [1, 2, 3] });
