// attack: cleanup twice and three times, during a run that loops
// outcome: ERR_INVALID_STATE
// state: DEAD
export const scenario = async ({ executor, run }) => {
  const outcome = run('for (;;) await null;', { maxOperations: 1e12 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all([executor.cleanup(), executor.cleanup(), executor.cleanup()]);
  await executor.cleanup();
  return outcome;
};
