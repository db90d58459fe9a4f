// Some event loops lose what another thread has told them, until something else wakes them
// (lib/ses/active-executors.ts).

import { expect, test } from 'vitest';

import { SESExecutor } from '../../build/ses/executor.js';

const CALLS = 2_000;
/** A run without its answer for so long has lost it. */
const LOST_MS = 10_000;

test('the event loop receives each of 120,000 tool calls in a row, whatever else it waits for', async () => {
  const executor = new SESExecutor({ timeoutMs: LOST_MS, maxToolCalls: CALLS });
  // An event loop with a timer loses more.
  const timer = setTimeout(() => {}, 2 * LOST_MS);
  try {
    await executor.init();
    let calls = 0;
    await executor.sendTools({ count: () => ++calls });
    for (let run = 1; run <= 60; run++) {
      const { output } = await executor.run(`let last; for (let i = 0; i < ${CALLS}; i++) last = count(); last`);
      expect(output).toBe(run * CALLS);
    }
  } finally {
    clearTimeout(timer);
    await executor.cleanup();
  }
}, 60_000);
