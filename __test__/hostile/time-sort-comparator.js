// attack: a sort whose comparator never agrees with itself, on many elements
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const list = Array(1e6).fill(0);
list.sort(() => {
  list.slice().sort(() => -1);
  return 1;
});
