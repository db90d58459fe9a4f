// attack: 500 calls at once, of which the host sees no more than maxConcurrentToolCalls
// outcome: value 'at most 64 at once, 500 in all'
// state: READY
// options: {"timeoutMs":4000}
let now = 0;
let most = 0;
let all = 0;
export const tools = {
  slow: async () => {
    all++;
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now--;
  },
};
export const scenario = async ({ executor }) => {
  await executor.run('await Promise.all(Array.from({ length: 500 }, () => slow()))');
  return `value 'at most ${most} at once, ${all} in all'`;
};
