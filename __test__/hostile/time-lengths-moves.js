// attack: shift, unshift and splice of an array-like of 2^52 elements
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const list = { length: 2 ** 52 };
try {
  Array.prototype.shift.call(list);
} finally {
  Array.prototype.unshift.call(list, 1);
  Array.prototype.splice.call(list, 1, 1);
}
return 'never';
