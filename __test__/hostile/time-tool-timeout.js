// attack: a call that is never answered, to have the deadline wait while the code computes
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":400,"toolTimeoutMs":20000,"maxOperations":1000000000000}
never();
const again = () => { Promise.resolve().then(again); };
again();
await never();
