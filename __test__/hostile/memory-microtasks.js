// attack: microtasks that each queue two more
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const split = () => {
  Promise.resolve().then(split);
  Promise.resolve().then(split);
};
split();
await new Promise(() => {});
