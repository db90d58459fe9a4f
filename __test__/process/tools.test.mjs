// When the host hears of calls that the guest does not wait for.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode } from '../helpers.mjs';
import { withProcess } from './helpers.mjs';

/** Takes until any deadline, and never looks at anything. */
const BUSY = `/^(a+)+$/.test('a'.repeat(40) + 'b');`;

describe('the call of an async tool', () => {
  test('is made immediately, even if guest code does not return to the host', async () => {
    const called = deferred();
    const controller = new AbortController();
    await withProcess({}, { notify: async () => called.resolve() }, async (executor) => {
      const run = executor.run(`notify(); ${BUSY}`, { signal: controller.signal, timeoutMs: 60_000 });
      await called.promise;
      controller.abort();
      await expectCode(run, 'ERR_EXEC_TIMEOUT');
    });
  });

  test('followed by other calls and log entries reaches the host with them', async () => {
    const seen = [];
    await withProcess({}, { note: async (n) => seen.push(n) }, async (executor) => {
      const code =
        'const all = []; for (let i = 0; i < 10; i++) { all.push(note(i)); console.log(i); } await Promise.all(all);';
      await executor.run(code);
      await executor.run('await Promise.all([note("a"), note("b"), note("c")])');
    });
    expect(seen).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'a', 'b', 'c']);
  });
});
