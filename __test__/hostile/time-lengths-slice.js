// attack: slice of the last part of an array-like, and concat of what says it is spreadable
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const list = { length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true };
return [Array.prototype.slice.call(list, 2 ** 53 - 2 ** 31), [].concat(list)].length;
