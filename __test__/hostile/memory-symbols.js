// attack: registered symbols, which are never collected
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
for (let i = 0; ; i++) Symbol.for('x'.repeat(1000) + i);
