// How the host's event loop waits for pages that call again at once.

import { availableParallelism } from 'node:os';

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

describe.runIf(process.platform === 'linux' && availableParallelism() > 1)('while a page calls again at once', () => {
  test('the event loop does not sleep between two calls', async () => {
    // Of a call the browser tells three things, which the loop sleeps for otherwise. On a busy machine many batches may be disturbed.
    const { status, stdout, stderr } = await runChild(`
      import { readFileSync } from 'node:fs';
      import { BrowserExecutor } from './lib/browser/index.js';
      const CALLS = 100;
      const sleeps = () =>
        Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync('/proc/thread-self/status', 'latin1'))[1]);
      const executor = new BrowserExecutor({ fallback: false, isolation: 'session' });
      await executor.init();
      const seen = [];
      await executor.sendTools({ later: async (value) => value + 1, look: () => void seen.push(sleeps()) });
      const code = 'look(); let sum = 0; for (let i = 0; i < ' + CALLS + '; i++) sum = await later(sum); look(); sum';
      let fewest = Infinity;
      const outputs = new Set();
      for (const end = Date.now() + 20_000; fewest > CALLS / 2 && Date.now() < end; ) {
        outputs.add((await executor.run('{' + code + '}')).output);
        fewest = Math.min(fewest, seen.at(-1) - seen.at(-2));
      }
      await executor.cleanup();
      console.log(JSON.stringify({ isAwake: fewest <= CALLS / 2, outputs: [...outputs] }));
    `);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ isAwake: true, outputs: [100] });
  });

  test('timers and immediates get their turn between its calls', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { BrowserExecutor } from './lib/browser/index.js';
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
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ output: true, isServed: true });
  });
});
