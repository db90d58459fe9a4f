// attack: an endless iterator whose next step is a built-in, in one that keeps nothing
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const step = Object.freeze({ done: false, value: 1 });
return Math.sumPrecise({ [Symbol.iterator]: () => ({ next: Object.freeze.bind(null, step) }) });
