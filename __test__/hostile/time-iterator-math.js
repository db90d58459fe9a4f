// attack: an endless iterator in one built-in that keeps nothing
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return Math.sumPrecise({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });
