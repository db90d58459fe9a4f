// attack: endless iterators that built-ins consume
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const endless = Iterator.from({ next: () => ({ done: false, value: 1 }) });
return endless
  .filter((x) => x > 1)
  .take(1)
  .toArray();
