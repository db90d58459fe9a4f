// All executors report through one handle of the event loop.

import { afterEach, describe, expect, it } from 'vitest';

import { SESExecutor } from '../../index.js';

/** Handles that wake the event loop from other threads, which it looks at each time one does. */
const asyncHandles = () => process.report.getReport().libuv.filter(({ type }) => type === 'async').length;

describe('the event loop dispatcher of executors', () => {
  /** @type {SESExecutor[]} */
  let executors = [];

  afterEach(async () => {
    await Promise.all(executors.splice(0).map((executor) => executor.cleanup()));
  });

  it('is one for all executors, whatever their number', async () => {
    const one = new SESExecutor({ autoInit: true });
    executors.push(one);
    await one.run('1');
    const before = asyncHandles();
    for (let i = 0; i < 40; i++) executors.push(new SESExecutor());
    expect(asyncHandles()).toBe(before);
  });

  it('delivers to each executor only its own events', async () => {
    executors = Array.from({ length: 6 }, () => new SESExecutor({ autoInit: true }));
    const seen = await Promise.all(
      executors.map(async (executor, i) => {
        /** @type {unknown[]} */
        const calls = [];
        await executor.sendTools({ tell: (/** @type {number} */ n) => void calls.push(n), later: async () => i });
        const { output } = await executor.run(
          `let sum = 0; for (let n = 0; n < 20; n++) { tell(${i} * 100 + n); sum += await later() } console.log(${i}); sum`,
        );
        return { calls, output };
      }),
    );
    expect(seen).toStrictEqual(
      executors.map((_, i) => ({ calls: Array.from({ length: 20 }, (_, n) => i * 100 + n), output: i * 20 })),
    );
  });
});
