// What the attacks memory-compiled-* look at.

import { expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';
import { goesOn } from './compiled.mjs';

const ISOLATIONS = process.platform === 'linux' ? ['thread', 'process'] : ['thread'];

test.each(ISOLATIONS)('a running guest uses processor time, and an ended one does not: %s', async (isolation) => {
  await withExecutor({ isolation, timeoutMs: 60_000, maxOperations: 1e15 }, {}, async (executor) => {
    await executor.run('1');
    expect(await goesOn(executor)).toBe(false);
    const abort = new AbortController();
    const run = executor.run('for (;;);', { signal: abort.signal });
    // On a busy machine it may have less of the processors for a while than what it is measured by.
    await expect.poll(() => goesOn(executor), { timeout: 50_000 }).toBe(true);
    abort.abort();
    await expectCode(run, 'ERR_EXEC_TIMEOUT');
  });
});
