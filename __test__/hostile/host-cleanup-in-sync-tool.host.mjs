// attack: cleanup while the guest waits for a synchronous tool, and a loop after it
// outcome: ERR_INVALID_STATE
// state: DEAD
let executor;
let cleaned;
export const tools = {
  clean: () => {
    cleaned = executor.cleanup();
    return 1;
  },
};
export const scenario = async (host) => {
  executor = host.executor;
  const outcome = await host.run('for (;;) clean();', { maxOperations: 1e12 });
  await cleaned;
  return outcome;
};
