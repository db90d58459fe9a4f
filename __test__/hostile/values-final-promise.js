// attack: a final answer that is a promise which is never settled
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
final_answer(new Promise(() => {}));
