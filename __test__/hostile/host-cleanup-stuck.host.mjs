// attack: cleanup while the guest is in a built-in that does not look at termination
// outcome: value 'cleaned up at once'
// state: DEAD
// options: {"timeoutMs":5000,"memoryLimitMb":1024,"maxOperations":1000000}
// stuck: 1 comparing half a million equal texts of 100 MB takes days
export const tools = {};
const started = new Promise((resolve) => (tools.started = () => resolve()));
export const scenario = async ({ executor, run }) => {
  const outcome = run(`
    const text = '1'.repeat(1e8);
    const parts = [];
    for (let i = 0; i < 500_000; i++) parts.push(text.slice(i));
    started();
    return parts.sort().length`);
  await started;
  // A built-in says nothing of itself.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const from = performance.now();
  await executor.cleanup();
  const took = performance.now() - from;
  const code = await outcome;
  return `value '${code === 'ERR_INVALID_STATE' && took < 10_000 ? 'cleaned up at once' : `${code} ${took}`}'`;
};
