// attack: cleanup while the guest is in a built-in that does not look at termination
// outcome: value 'cleaned up at once'
// state: DEAD
// options: {"timeoutMs":5000,"memoryLimitMb":2048}
export const tools = {};
const started = new Promise((resolve) => (tools.started = () => resolve()));
export const scenario = async ({ executor, run }) => {
  const outcome = run('started(); return Array(1.2e8).fill(1).length');
  await started;
  // A built-in says nothing of itself.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const from = performance.now();
  await executor.cleanup();
  const took = performance.now() - from;
  const code = await outcome;
  return `value '${code === 'ERR_INVALID_STATE' && took < 500 ? 'cleaned up at once' : `${code} ${took}`}'`;
};
