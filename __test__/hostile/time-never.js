// attack: waiting for a promise that is never settled
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
await new Promise(() => {});
