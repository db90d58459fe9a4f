// attack: microtasks by queueMicrotask that each queue two more
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const split = () => {
  queueMicrotask(split);
  queueMicrotask(split);
};
split();
await new Promise(() => {});
