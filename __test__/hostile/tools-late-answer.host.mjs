// attack: a tool's answer that arrives after its run, in the next one
// outcome: value 'nothing arrived late'
// state: READY
let release;
export const tools = { gate: () => new Promise((resolve) => (release = resolve)) };
export const scenario = async ({ executor }) => {
  await executor.run('globalThis.seen = []; gate().then((v) => { seen.push(v); final_answer("late"); }); 1');
  const next = executor.run('await later(1); await later(2); return seen.length;');
  release('late');
  const { output, is_final_answer } = await next;
  return output === 0 && !is_final_answer ? "value 'nothing arrived late'" : `value ${output}`;
};
