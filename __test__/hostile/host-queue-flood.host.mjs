// attack: a thousand queued runs behind one that never ends
// outcome: value 'all settled'
// state: DIRTY
// options: {"timeoutMs":500,"runConcurrency":"queue","maxQueuedRuns":1000}
export const scenario = async ({ executor }) => {
  const runs = Array.from({ length: 1001 }, () =>
    executor.run('await new Promise(() => {})').catch((error) => error.code),
  );
  const codes = await Promise.all(runs);
  const isFine = codes[0] === 'ERR_EXEC_TIMEOUT' && codes.slice(1).every((code) => code === 'ERR_INVALID_STATE');
  return `value '${isFine ? 'all settled' : [...new Set(codes)]}'`;
};
