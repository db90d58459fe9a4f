// attack: a Set of integers that all have one hash, so that each further one takes longer
// outcome: value 'read, or refused for the time that it takes'
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 32 the output reaches the host, and is copied on its way
import { unlessStalled } from './stalls.mjs';

export const scenario = (/** @type {any} */ host) =>
  unlessStalled(host, async () => {
    const outcome = await host.run(`
      const set = new Set();
      for (let i = 0n; i < 20_000n; i++) set.add((i << 64n) | 1n);
      return set;`);
    const isFine = outcome.startsWith('value Set(20000)') || outcome === 'ERR_TRANSFER_LIMIT_EXCEEDED';
    return `value '${isFine ? 'read, or refused for the time that it takes' : outcome}'`;
  });
