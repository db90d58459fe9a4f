// attack: a loop round an array that is filled, whose own short loop V8 unrolled, so that it never looked at termination
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":9007199254740991}
const fill = () => {
  let n = 0;
  for (;;) n = (n + new Array(100).fill(0.5).length) & 1023;
};
fill();
