// attack: an output whose getter is stuck in a built-in, which is read after the run
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return {
  get a() {
    return /^(a+)+$/.test('a'.repeat(40) + 'b');
  },
};
