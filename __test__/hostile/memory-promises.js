// attack: promise reactions without end on one promise
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const pending = new Promise(() => {});
for (;;) pending.then(() => {});
