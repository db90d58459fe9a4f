// attack: a chain of microtasks by queueMicrotask without end, without a loop
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":150}
const again = () => queueMicrotask(again);
again();
await new Promise(() => {});
