// attack: BigInts of 100,000 bits without end
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (let i = 1n; ; i++) hoard.push((1n << 100_000n) + i);
