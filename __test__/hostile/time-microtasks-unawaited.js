// attack: microtasks without end beside a run that has returned
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":150}
const again = () => { Promise.resolve().then(again); };
again();
return 'returned';
