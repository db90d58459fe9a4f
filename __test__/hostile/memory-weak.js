// attack: weak references, weak maps and finalizers without end
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
const weak = new WeakMap();
for (let i = 0; ; i++) {
  const key = { i };
  weak.set(key, [i]);
  hoard.push(key);
}
