// attack: a tool that calls run, sendTools, sendVariables, init and cleanup of the executor that waits for it
// outcome: value 'ERR_INVALID_STATE x 3, then cleaned up'
// state: DEAD
let executor;
let codes;
export const tools = {
  reenter: async () => {
    const code = (error) => error.code;
    const [run, sendTools, sendVariables] = await Promise.all([
      executor.run('1').catch(code),
      executor.sendTools({ other: () => 1 }).catch(code),
      executor.sendVariables({ other: 1 }).catch(code),
    ]);
    codes = [run, sendTools, sendVariables];
    await executor.cleanup();
  },
};
export const scenario = async (host) => {
  executor = host.executor;
  const outcome = await host.run('await reenter()');
  const isRefused = codes.every((code) => code === 'ERR_INVALID_STATE') && outcome === 'ERR_INVALID_STATE';
  return `value '${isRefused ? 'ERR_INVALID_STATE x 3, then cleaned up' : `${codes} ${outcome}`}'`;
};
