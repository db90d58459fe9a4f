// attack: sorting ten million numbers by the text of each
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000,"maxOperations":100000000}
// peak: 208 one array of 80 MB
const list = [];
list.length = 1e7;
return list
  .fill(0.5)
  .map((_, i) => -i)
  .sort().length;
