// attack: an output whose getter never ends, which is read after the run
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"maxOperations":9007199254740991}
return {
  get a() {
    for (;;);
  },
  b: 1,
};
