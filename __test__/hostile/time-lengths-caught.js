// attack: what ends such a loop is caught, and the next one begun
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const list = { length: 2 ** 53 - 1 };
const again = () => {
  try {
    Array.prototype.every.call(list, Boolean);
  } catch {
    return again();
  } finally {
    Array.prototype.some.call(list, Boolean);
  }
  return again();
};
return again();
