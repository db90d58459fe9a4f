// attack: array-likes in microtasks, in a sort comparator and in a getter of the output
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const list = { length: 2 ** 53 - 1 };
const endless = () => Array.prototype.findIndex.call(list, Number.isNaN);
Promise.resolve().then(endless);
await null;
return [2, 1].sort(endless);
