// What the host's event loop does while a page calls tools in a row.

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

describe('while a page calls tools in a row', () => {
  test('timers and immediates of the host run between the calls', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { BrowserExecutor } from './build/browser/index.js';
      const executor = new BrowserExecutor({ fallback: false, maxToolCalls: 1e9 });
      await executor.init();
      const turns = { timer: 0, immediate: 0 };
      let stop = false;
      let calls = 0;
      await executor.sendTools({ more: async () => {
        if (calls++ === 0) Object.assign(turns, { timer: 0, immediate: 0 });
        return !stop;
      } });
      const timer = setInterval(() => turns.timer++, 1);
      const again = () => {
        turns.immediate++;
        if (!stop) setTimeout(() => setImmediate(again), 1);
      };
      setImmediate(again);
      const run = executor.run('let calls = 0; while (await more()) calls++; calls > 0');
      const look = setInterval(() => {
        stop = calls > 1 && Math.min(...Object.values(turns)) >= 20;
        if (!stop) return;
        clearInterval(look);
        clearInterval(timer);
      }, 1);
      const { output } = await run;
      await executor.cleanup();
      console.log(JSON.stringify({ output, isServed: Math.min(...Object.values(turns)) >= 20 }));
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual({ output: true, isServed: true });
  });
});
