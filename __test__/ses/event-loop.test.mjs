// What the host's event loop does while a guest calls tools in a row.

import { describe, expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

describe('while a guest makes tool calls in a row', () => {
  test('timers, immediates and messages of the host run between the calls', async () => {
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
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual({ output: true, isServed: true });
  });
});

describe('a thread of the host whose loop waits for guests', () => {
  test.each(['ends', 'exits', 'is terminated'])('%s while the other threads continue', async (how) => {
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
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const each = how === 'is terminated' ? [1, 2] : [0, 2];
    expect(JSON.parse(stdout)).toStrictEqual(Array.from({ length: 5 }, () => each).flat());
  });
});
