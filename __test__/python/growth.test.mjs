// Sessions leave nothing behind. `SESSIONS=300 npx vitest run __test__/python/growth.test.mjs` makes as many as the
// claim is about.

import { expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';
import { FIRST_START_MS } from './suite.mjs';

const SESSIONS = Number(process.env.SESSIONS ?? 40);
/** Until caches of the process are what they stay. */
const WARM_UP = 10;
/** One that stays would take 19 MB: this is what less than one in ten would. */
const MAX_MB = 8 + 2 * SESSIONS;

test(
  `${SESSIONS} sessions return their memory and end their isolates`,
  { timeout: FIRST_START_MS + SESSIONS * 5_000 },
  async () => {
    const script = `
    import { engineStats } from './index.mjs';
    import { PyodideExecutor } from './build/python/index.js';
    const endings = {};
    const count = (ending) => (endings[ending] = (endings[ending] ?? 0) + 1);
    const session = async (number) => {
      const executor = new PyodideExecutor(undefined, { mount: false, warmPool: 0 });
      await executor.sendTools({ double: async (n) => n * 2 });
      await executor.sendVariables({ number });
      const { output } = await executor.run('import statistics\\nhoard = [bytearray(100_000) for _ in range(50)]\\ndouble(number)');
      if (output !== number * 2) throw new Error('got ' + output);
      // Every fourth is given up in the middle of a loop.
      if (number % 4 === 0) {
        await executor.run('sum(range(10**12))', { timeoutMs: 20 }).then(() => count('output'), ({ code }) => count(code));
      }
      count(executor.state);
      await executor.cleanup();
      count(executor.state);
    };
    const sessions = async (count) => {
      for (let number = 1; number <= count; number++) await session(number);
      // Threads end by themselves.
      while (engineStats().live > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      globalThis.gc();
      return process.memoryUsage.rss() / 2 ** 20;
    };
    const before = await sessions(${WARM_UP});
    const after = await sessions(${SESSIONS});
    const { live, parked, stuck } = engineStats();
    console.log(JSON.stringify({ grown: after - before, live, parked, stuck, endings }));`;
    const timeoutMs = FIRST_START_MS + SESSIONS * 5_000;
    const { status, signal, stdout, stderr } = await runChild(script, { nodeArgs: ['--expose-gc'], timeoutMs });
    expect({ status, signal, stderr }).toStrictEqual({ status: 0, signal: null, stderr: '' });
    const { grown, ...counts } = JSON.parse(stdout);
    const lost = Math.floor(WARM_UP / 4) + Math.floor(SESSIONS / 4);
    const endings = { READY: WARM_UP + SESSIONS - lost, ERR_EXEC_TIMEOUT: lost, DIRTY: lost, DEAD: WARM_UP + SESSIONS };
    expect(counts).toStrictEqual({ live: 0, parked: 0, stuck: 0, endings });
    expect(grown).toBeLessThan(MAX_MB);
    if (process.env.SESSIONS !== undefined) console.log(`grown by ${grown.toFixed(1)} MB in ${SESSIONS} sessions`);
  },
);
