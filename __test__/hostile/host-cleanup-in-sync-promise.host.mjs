// attack: cleanup while a synchronous tool has given a promise that is never settled
// outcome: ERR_INVALID_STATE
// state: DEAD
export const tools = {};
const called = new Promise((resolve) => {
  tools.wait = () => {
    resolve();
    return new Promise(() => {});
  };
});
export const scenario = async ({ executor, run }) => {
  const outcome = run('await wait()');
  await called;
  await executor.cleanup();
  return outcome;
};
