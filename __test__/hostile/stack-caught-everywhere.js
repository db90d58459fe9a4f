// attack: recursion that branches at every level whenever it overflows
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const branch = () => {
  try {
    branch();
  } catch {
    branch();
  } finally {
    branch();
  }
};
branch();
