// attack: a proxy that is an array of no elements when it is looked at first
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
let reads = 0;
const liar = new Proxy([], {
  get: (list, key) => (key === 'length' && reads++ > 0 ? 2 ** 53 - 1 : list[key]),
});
return [Array.prototype.indexOf.call(liar, 1), Array.prototype.lastIndexOf.call(liar, 1), liar.reverse()].length;
