// attack: a little more memory kept on the global with each run, until a later run pays
// outcome: value 'limited, then free again'
// state: READY, DIRTY
// options: {"timeoutMs":4000,"maxOperations":100000}
export const scenario = async ({ executor, run }) => {
  await run('globalThis.kept = []');
  let outcome;
  let runs = 0;
  do outcome = await run('for (let i = 0; i < 10; i++) kept.push(new Array(1e5).fill(0.5)); kept.length');
  while (outcome.startsWith('value') && ++runs < 100);
  if (outcome !== 'ERR_MEMORY_LIMIT_EXCEEDED') return `value '${outcome} after ${runs} runs'`;
  // READY: what earlier runs kept is still theirs, and they can let go of it.
  const freed = executor.state === 'READY' ? await run('kept.length = 0') : 'value 0';
  return `value '${freed === 'value 0' ? 'limited, then free again' : freed}'`;
};
