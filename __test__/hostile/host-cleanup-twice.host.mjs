// attack: cleanup twice and three times, during a run that loops
// outcome: ERR_INVALID_STATE
// state: DEAD
export const tools = {};
const started = new Promise((resolve) => (tools.started = () => resolve()));
export const scenario = async ({ executor, run }) => {
  const outcome = run('started(); for (;;) await null;', { maxOperations: 1e12 });
  await started;
  await Promise.all([executor.cleanup(), executor.cleanup(), executor.cleanup()]);
  await executor.cleanup();
  return outcome;
};
