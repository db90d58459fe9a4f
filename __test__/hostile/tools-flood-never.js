// attack: more calls of a tool that never answers than may be under way at once
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const calls = Array.from({ length: 200 }, () => never());
await later('behind them');
await Promise.all(calls);
