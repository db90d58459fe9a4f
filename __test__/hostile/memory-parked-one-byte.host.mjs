// attack: a thread that is parked with 40 MB of one-byte texts on its heap
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 192 what is beyond the limit until the thread is parked
// only: thread in a process nothing is parked
const code = String.raw`
  const texts = Array.from({ length: 50 }, (_, i) => 'a'.repeat(8e5) + i).map((text) => [text.at(-1), text]);
  return [texts.length, new RegExp('(?!a)'.repeat(1e6)).test('a')];
`;

export const scenario = async ({ SESExecutor, api, options }) => {
  const other = new SESExecutor({ ...options, autoInit: true });
  await other.init();
  const before = process.memoryUsage.rss();
  const error = await other.run(code).catch((failure) => failure);
  const grown = (process.memoryUsage.rss() - before) / 2 ** 20;
  const counted = api.engineStats().parkedBytes / 2 ** 20;
  await other.cleanup();
  const isRight = error.details?.parked && counted > 100 && counted > grown * 0.8 - 16;
  return `value '${isRight ? 'counted' : `${error.code}, ${Math.round(counted)} of ${Math.round(grown)} MB`}'`;
};
