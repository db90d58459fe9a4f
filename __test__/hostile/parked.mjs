// What is counted of a thread that `code` has parked, beside what the process has grown by.

/**
 * @param {string} code
 * @param {number} atLeastMb what it certainly holds
 */
export const parked =
  (code, atLeastMb) =>
  async ({ SESExecutor, api, options }) => {
    const other = new SESExecutor({ ...options, autoInit: true });
    await other.init();
    const before = process.memoryUsage.rss();
    const error = await other.run(code).catch((failure) => failure);
    const grown = (process.memoryUsage.rss() - before) / 2 ** 20;
    const counted = api.engineStats().parkedBytes / 2 ** 20;
    await other.cleanup();
    const isRight = error.details?.parked && counted > atLeastMb && counted > grown * 0.8 - 16;
    return `value '${isRight ? 'counted' : `${error.code}, ${Math.round(counted)} of ${Math.round(grown)} MB`}'`;
  };
