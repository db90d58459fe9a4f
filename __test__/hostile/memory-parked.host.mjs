// attack: a guest that V8 can stop only by parking its thread; the engine counts it
// outcome: value 'parked 1'
// state: READY
// only: thread in a process nothing is parked
// options: {"timeoutMs":25000}
// peak: 512 the string, once it is flat
export const scenario = async ({ SESExecutor, api, options }) => {
  const before = api.engineStats().parked;
  const other = new SESExecutor({ ...options, autoInit: true });
  const error = await other.run('return "".split.call(new String("a".repeat(2 ** 28)), "");').catch((failure) => failure);
  const isParked = error.code === 'ERR_MEMORY_LIMIT_EXCEEDED' && error.details.parked && other.state === 'DIRTY';
  const { parked, parkedBytes } = api.engineStats();
  await other.cleanup();
  return `value '${isParked && parkedBytes > 0 ? `parked ${parked - before}` : `${error.code} ${parkedBytes}`}'`;
};
