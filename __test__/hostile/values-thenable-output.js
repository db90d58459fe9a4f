// attack: an output whose then gives another thenable, forever
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const endless = () => ({
  then(resolve) {
    resolve(endless());
  },
});
return endless();
