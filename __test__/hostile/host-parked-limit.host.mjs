// attack: parking isolates until no more may be made, while another owner goes on
// outcome: value 'refused, others are not'
// state: READY
// only: thread in a process nothing is parked
// options: {"timeoutMs":40000,"owner":"greedy","maxParkedMb":90}
// peak: 768 at most two isolates with a flat string of 256 MB and 50 MB of buffers each
const PARKS = 'const held = new Uint8Array(5e7); return "".split.call(new String("a".repeat(2 ** 28)), held.length && "");';
export const scenario = async ({ SESExecutor, api, options }) => {
  const codes = [];
  const attempt = async () => {
    const executor = new SESExecutor({ ...options, autoInit: true });
    const error = await executor.run(PARKS).catch((failure) => failure);
    codes.push(error.code);
    await executor.cleanup();
    return error;
  };
  let refused;
  for (let i = 0; i < 6 && refused === undefined; i++) {
    const error = await attempt();
    if (error.code === 'ERR_SES_INIT_FAILED') refused = error;
  }
  const other = new SESExecutor({ ...options, owner: 'other' });
  await other.init();
  await other.cleanup();
  const { parked, heldBytes } = refused?.details ?? {};
  const isFine =
    parked === codes.length - 1 &&
    parked === api.engineStats().parked &&
    heldBytes >= 90 * 2 ** 20 &&
    codes.slice(0, -1).every((code) => code === 'ERR_MEMORY_LIMIT_EXCEEDED');
  // The attacked executor itself must come back afterwards, which is part of the harness: it has its isolate already.
  return `value '${isFine ? 'refused, others are not' : `${codes} ${refused} ${JSON.stringify(api.engineStats())}`}'`;
};
