// attack: closures that keep large contexts
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const kept = [];
for (let i = 0; ; i++) {
  const context = new Array(100).fill(i);
  kept.push(() => context);
}
