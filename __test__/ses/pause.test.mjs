// How the host's event loop waits for guests that answer soon.

import { availableParallelism } from 'node:os';

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

const onLinux = process.platform === 'linux';

describe.runIf(onLinux && availableParallelism() > 1)('while a guest answers at once', () => {
  test('the event loop does not sleep between two calls', async () => {
    // Each call that the loop sleeps for is one voluntary switch at least. On a busy machine many batches may be disturbed.
    const { status, stdout, stderr } = await runChild(`
      import { readFileSync } from 'node:fs';
      import { SESExecutor } from './index.mjs';
      const CALLS = 50;
      const sleeps = () =>
        Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync('/proc/thread-self/status', 'latin1'))[1]);
      const executor = new SESExecutor({ maxToolCalls: CALLS, timeoutMs: 60_000 });
      await executor.init();
      await executor.sendTools({ later: async (value) => value + 1 });
      const code = 'let sum = 0; for (let i = 0; i < ' + CALLS + '; i++) sum = await later(sum); sum';
      let fewest = Infinity;
      const outputs = new Set();
      for (const end = Date.now() + 20_000; fewest > CALLS / 5 && Date.now() < end; ) {
        const before = sleeps();
        outputs.add((await executor.run('{' + code + '}')).output);
        fewest = Math.min(fewest, sleeps() - before);
      }
      await executor.cleanup();
      console.log(JSON.stringify({ isAwake: fewest <= CALLS / 5, outputs: [...outputs] }));
    `);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ isAwake: true, outputs: [50] });
  });

  test('timers, immediates and messages get their turn between its calls', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { MessageChannel } from 'node:worker_threads';
      import { SESExecutor } from './index.mjs';
      const executor = new SESExecutor({ maxToolCalls: 1e9, timeoutMs: 60_000 });
      await executor.init();
      const turns = { timer: 0, immediate: 0, message: 0 };
      let stop = false;
      await executor.sendTools({ more: async () => !stop });
      const timer = setInterval(() => turns.timer++, 1);
      const again = () => {
        turns.immediate++;
        if (!stop) setTimeout(() => setImmediate(again), 1);
      };
      setImmediate(again);
      const { port1, port2 } = new MessageChannel();
      port2.on('message', () => {
        turns.message++;
        setTimeout(() => port1.postMessage(0), 1);
      });
      port1.postMessage(0);
      const run = executor.run('let calls = 0; while (await more()) calls++; calls > 0');
      const look = setInterval(() => {
        stop = Math.min(...Object.values(turns)) >= 20;
        if (!stop) return;
        clearInterval(look);
        clearInterval(timer);
      }, 1);
      const { output } = await run;
      port1.close();
      await executor.cleanup();
      console.log(JSON.stringify({ output, isServed: Math.min(...Object.values(turns)) >= 20 }));
    `);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ output: true, isServed: true });
  });
});

describe.runIf(onLinux)('a thread of the host', () => {
  test.each(['ends', 'exits', 'is terminated'])(
    '%s while its loop waits for guests, and the others go on',
    async (how) => {
      const { status, stdout, stderr } = await runChild(`
      import { Worker } from 'node:worker_threads';
      import { SESExecutor } from './index.mjs';
      const index = new URL('./index.mjs', import.meta.url).href;
      const code = (how) => \`
        import { parentPort } from 'node:worker_threads';
        import { SESExecutor } from '\${index}';
        const executor = new SESExecutor({ autoInit: true });
        for (let i = 0; i < 10; i++) await executor.run('1 + 1');
        parentPort.postMessage(0);
        if ('\${how}' === 'is terminated') for (;;) await executor.run('1 + 1');
        if ('\${how}' === 'exits') { void executor.run('1 + 1'); process.exit(0); }
        await executor.cleanup();
      \`;
      const executor = new SESExecutor({ autoInit: true });
      const statuses = [];
      for (let i = 0; i < 5; i++) {
        const url = new URL('data:text/javascript,' + encodeURIComponent(code('${how}')));
        const worker = new Worker(url);
        const ended = new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
        worker.on('message', () => '${how}' === 'is terminated' && worker.terminate());
        statuses.push(await ended, (await executor.run('1 + 1')).output);
      }
      await executor.cleanup();
      console.log(JSON.stringify(statuses));
    `);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const each = how === 'is terminated' ? [1, 2] : [0, 2];
      expect(JSON.parse(stdout)).toEqual(Array.from({ length: 5 }, () => each).flat());
    },
  );
});
