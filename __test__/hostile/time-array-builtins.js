// attack: built-ins without callbacks over 2^53 elements that do not exist
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return (
  Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1) +
  Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
);
