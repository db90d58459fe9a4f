// attack: a thread that is parked while it compiles a pattern
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 128 what is beyond the limit until the thread is parked
// only: thread in a process nothing is parked
const code = "return new RegExp('(?!a)'.repeat(1e6)).test('c');";

export const scenario = async ({ SESExecutor, api, options }) => {
  const other = new SESExecutor({ ...options, autoInit: true });
  await other.init();
  const before = process.memoryUsage.rss();
  const error = await other.run(code).catch((failure) => failure);
  const grown = (process.memoryUsage.rss() - before) / 2 ** 20;
  const counted = api.engineStats().parkedBytes / 2 ** 20;
  await other.cleanup();
  const isRight = error.details?.parked && counted > 64 && counted > grown * 0.8 - 16;
  return `value '${isRight ? 'counted' : `${error.code}, ${Math.round(counted)} of ${Math.round(grown)} MB`}'`;
};
