// attack: a final answer whose getter never comes back
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":300}
final_answer({
  get answer() {
    for (;;);
  },
});
