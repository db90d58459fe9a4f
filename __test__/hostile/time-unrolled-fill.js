// attack: the same with an array that is filled, whose checks are in the loop as well
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":9007199254740991}
const fill = () => {
  let n = 0;
  for (;;) n = (n + new Array(100).fill(0.5).length) & 1023;
};
fill();
