// attack: parking isolates until no more may be made
// outcome: value 'refused while 2 are parked'
// state: READY
// options: {"timeoutMs":40000,"maxParkedIsolates":2}
// peak: 768 two isolates with a flat string of 256 MB each
export const scenario = async ({ SESExecutor, api, options }) => {
  const codes = [];
  for (let i = 0; i < 6 && api.engineStats().parked < 2; i++) {
    const executor = new SESExecutor({ ...options, autoInit: true });
    const error = await executor.run('return "".split.call(new String("a".repeat(2 ** 28)), "");').catch((failure) => failure);
    codes.push(error.code);
    await executor.cleanup();
  }
  const refused = await new SESExecutor(options).init().catch((error) => error);
  const more = new SESExecutor({ ...options, maxParkedIsolates: 100 });
  await more.init();
  await more.cleanup();
  const isRefused = refused?.code === 'ERR_SES_INIT_FAILED' && /parked/.test(refused.message);
  const isFine = isRefused && codes.every((code) => code === 'ERR_MEMORY_LIMIT_EXCEEDED');
  // The attacked executor itself must come back afterwards: that is part of the harness, with its own limit.
  return `value '${isFine ? 'refused while 2 are parked' : `${codes} ${refused}`}'`;
};
