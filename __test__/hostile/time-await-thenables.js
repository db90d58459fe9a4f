// attack: awaiting thenables that answer with thenables
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const endless = {
  then(resolve) {
    resolve(endless);
  },
};
await endless;
