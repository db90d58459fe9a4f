// attack: threads that are parked while V8 compiles a megabyte of small statements
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 1024 the syntax tree of one program, and what four threads hold that are parked
// only: thread in a process nothing is parked
const MEGABYTES = 2 ** 20;
const PROGRAMS = [
  'while(0);'.repeat(116_000),
  'for(x in[]);'.repeat(87_000),
  '(class{});'.repeat(100_000),
  'while(0)while(0);'.repeat(60_000),
];

// The arena of a parked thread kept what the parser had freed, and the program itself was not counted.
export const scenario = async ({ SESExecutor, api, options }) => {
  const wrong = [];
  for (const code of PROGRAMS) {
    const executor = new SESExecutor({ ...options, autoInit: true });
    await executor.init();
    const before = { rss: process.memoryUsage.rss(), parked: api.engineStats().parkedBytes };
    const error = await executor.run(code).catch((failure) => failure);
    const grown = (process.memoryUsage.rss() - before.rss) / MEGABYTES;
    const counted = (api.engineStats().parkedBytes - before.parked) / MEGABYTES;
    await executor.cleanup();
    const isCounted = error.details?.parked && counted > 64 && counted > grown * 0.8 - 16;
    if (!isCounted) wrong.push(`${code.slice(0, 12)} ${error.code} ${Math.round(counted)} of ${Math.round(grown)} MB`);
  }
  return `value '${wrong.length === 0 ? 'counted' : wrong.join(', ')}'`;
};
