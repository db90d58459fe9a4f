// attack: a chain of microtasks without end, without a loop
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":150}
const again = () => { Promise.resolve().then(again); };
again();
await new Promise(() => {});
