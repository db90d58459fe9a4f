// attack: a loop round JSON.stringify of an array, whose short loop V8 unrolled, so that it never looked at termination
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":9007199254740991}
let n = 0;
for (;;) {
  JSON.stringify(new Array(1000));
  n = (n + 1) & 1023;
}
