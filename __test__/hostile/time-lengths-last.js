// attack: lastIndexOf of a function whose length is a lie
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const list = Object.defineProperty(() => {}, 'length', { value: 2 ** 53 - 1 });
return Array.prototype.lastIndexOf.call(list, 1);
