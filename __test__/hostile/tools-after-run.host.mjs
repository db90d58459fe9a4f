// attack: calls of tools from microtasks that were never awaited, after the run has ended
// outcome: value 'no effect after the runs'
// state: READY
let effects = 0;
let isOver = false;
export const tools = {
  effect: async () => {
    if (isOver) effects++;
  },
};
export const scenario = async ({ executor }) => {
  await executor.run('const again = () => effect().then(again, again); again(); again(); 1');
  isOver = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  await executor.run('2');
  await executor.run('await later(1)');
  return `value '${effects === 0 ? 'no effect after the runs' : effects}'`;
};
