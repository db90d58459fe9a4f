// attack: microtasks that are left when the run has ended, which call tools, log, and give the final answer of the next run
// outcome: value ["done",0,"next",""]
// state: READY
let calls = 0;
export const tools = { count: () => void calls++ };
export const scenario = async (/** @type {any} */ { executor }) => {
  const first = await executor.run(`
    const later = () => { count(); console.log('late'); final_answer('late'); };
    Promise.resolve().then(() => Promise.resolve()).then(() => { for (let i = 0; i < 50; i++) queueMicrotask(later); });
    final_answer('done');
  `);
  const next = await executor.run("await null; return 'next'");
  return `value ${JSON.stringify([first.output, calls, next.output, next.logs])}`;
};
