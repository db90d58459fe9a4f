// attack: waiting by the clock, without a counted loop
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const end = Date.now() + 60_000;
const wait = () => Array(1000).some(() => false) || Array.from({ length: 1000 }).some(() => Date.now() > end);
const spin = () => wait() || Promise.resolve().then(spin);
await spin();
