// attack: large programs, the memory of which the host does not get back when the executor is gone
// outcome: value 'given back'
// state: READY
// options: {"timeoutMs":25000}
// peak: 256 programs of a megabyte, as they are compiled
export const scenario = async ({ SESExecutor, options, outcomeOf }) => {
  const before = process.memoryUsage.rss();
  for (const statement of ['await 0;', 'try { await 0 } catch {};', 'f(f(1));', '[1, [2]];']) {
    const executor = new SESExecutor(options);
    await executor.init();
    const program = `const f = (x) => x; ${statement.repeat(Math.floor(5e5 / statement.length))} return 1`;
    const outcome = await outcomeOf(executor.run(program));
    await executor.cleanup();
    if (outcome !== 'value 1') return `${statement} ${outcome}`;
  }
  // An isolate is taken apart after `cleanup()`, on its own thread.
  const kept = () => (process.memoryUsage.rss() - before) / 2 ** 20;
  for (let i = 0; i < 100 && kept() > 64; i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return `value '${kept() <= 64 ? 'given back' : `${Math.round(kept())} MB kept`}'`;
};
