// attack: 30,000 top-level bindings, run after run
// outcome: value 29999
// state: READY
// options: {"timeoutMs":20000,"memoryLimitMb":128}
// peak: 256 the limit, and tree and text of the program while it is prepared
export const scenario = async ({ run }) => {
  const code = Array.from({ length: 30_000 }, (_, i) => `let n${i} = ${i};`).join('');
  await run(code);
  await run(code);
  return run('n29999');
};
