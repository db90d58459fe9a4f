// attack: distinct flat strings without end
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (let i = 0; ; i++) hoard.push(JSON.parse(JSON.stringify('x'.repeat(1e5) + i)));
