// attack: 500 calls at once of functions that are not async and give promises, of which the host sees no more than maxConcurrentToolCalls
// outcome: value 'at most 64 at once, 1000 in all'
// state: READY
// options: {"timeoutMs":8000}
let now = 0;
let most = 0;
let all = 0;
const work = async () => {
  all++;
  most = Math.max(most, ++now);
  await new Promise((resolve) => setTimeout(resolve, 5));
  now--;
};
export const tools = { arrow: () => work(), bound: work.bind(undefined) };
export const scenario = async ({ executor }) => {
  for (const name of ['arrow', 'bound']) {
    await executor.run(`await Promise.all(Array.from({ length: 500 }, () => ${name}()))`);
  }
  return `value 'at most ${most} at once, ${all} in all'`;
};
