// attack: a synchronous tool that blocks the host beyond the deadline of the run
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":300}
export const tools = {
  block: () => {
    const end = performance.now() + 500;
    while (performance.now() < end);
    return 1;
  },
};
export const code = 'return block();';
