// attack: cleanup while a synchronous tool has given a promise that is never settled
// outcome: ERR_INVALID_STATE
// state: DEAD
export const tools = { wait: () => new Promise(() => {}) };
export const scenario = async ({ executor, run }) => {
  const outcome = run('await wait()');
  await new Promise((resolve) => setTimeout(resolve, 20));
  await executor.cleanup();
  return outcome;
};
