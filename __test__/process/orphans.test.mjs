// A worker process never outlives its host, or whatever of it has the executor.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, test } from 'vitest';

import { ROOT, deferred, runChild } from '../helpers.mjs';
import { ended, inProcess, isLinux, pidOf, workersOf } from './helpers.mjs';

/** Starts a host with one executor and its spare, which does what `code` says, and resolves to it and its workers. */
async function startHost(code) {
  const script = `
    import { SESExecutor } from './index.mjs';
    import { workersOf } from './__test__/process/helpers.mjs';
    const executor = new SESExecutor({ isolation: 'process' });
    await executor.init();
    while (workersOf(process.pid).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const told = () => console.log(JSON.stringify(workersOf(process.pid)));
    await executor.sendTools({ told });
    ${code}
  `;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const host = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, stdio });
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data');
  return { host, workers: JSON.parse(line) };
}

const COMPUTES = `executor.run('told(); for (;;) {}', { maxOperations: 1e15, timeoutMs: 1e9 })`;

describe.runIf(isLinux)('P10 after the end of the host', () => {
  test.each([
    ['is killed while guest code computes', COMPUTES, 'SIGKILL'],
    ['is killed while it is idle', 'told(); setInterval(() => {}, 1000)', 'SIGKILL'],
    ['crashes', COMPUTES, 'SIGSEGV'],
    ['is interrupted', COMPUTES, 'SIGINT'],
  ])('no worker remains: the host %s', async (_, code, signal) => {
    const { host, workers } = await startHost(code);
    expect(workers).toHaveLength(2);
    host.kill(signal);
    await Promise.all(workers.map(ended));
  });

  test('no worker remains: the host exits while guest code computes', async () => {
    const leave = 'await executor.sendTools({ told: () => void (told(), setImmediate(() => process.exit())) });';
    const { workers } = await startHost(`${leave} ${COMPUTES}`);
    expect(workers).toHaveLength(2);
    await Promise.all(workers.map(ended));
  });
});

describe.runIf(isLinux)('P10 cleanup()', () => {
  test('ends the worker, and the next session has another one', async () => {
    const executor = inProcess();
    const pids = new Set();
    for (let round = 0; round < 3; round++) {
      await executor.init();
      const pid = pidOf(executor);
      await executor.cleanup();
      await ended(pid);
      pids.add(pid);
    }
    expect(pids.size).toBe(3);
  });

  test('ends a worker that computes', async () => {
    const executor = inProcess();
    await executor.init();
    const entered = deferred();
    await executor.sendTools({ enter: () => entered.resolve() });
    const pid = pidOf(executor);
    const run = executor.run('enter(); for (;;) {}', { maxOperations: 1e15 }).catch((error) => error.code);
    await entered.promise;
    await executor.cleanup();
    expect(await run).toBe('ERR_INVALID_STATE');
    await ended(pid);
  });
});

test.runIf(isLinux)(
  'a terminated worker thread of the host leaves no worker process, and the host continues',
  async () => {
    const { status, stdout, stderr } = await runChild(`
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    import { SESExecutor } from './index.mjs';
    import { ended } from './__test__/process/helpers.mjs';
    const script = \`
      const { parentPort } = require('node:worker_threads');
      const { SESExecutor } = require('./index.js');
      (async () => {
        const executor = new SESExecutor({ isolation: 'process' });
        await executor.init();
        await executor.sendTools({ told: () => parentPort.postMessage(executor.isolation.pid) });
        await executor.run('told(); for (;;) {}', { maxOperations: 1e15, timeoutMs: 1e9 });
      })();
    \`;
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(script, { eval: true, execArgv: [] });
      const [pid] = await once(worker, 'message');
      await worker.terminate();
      await ended(pid);
    }
    const executor = new SESExecutor({ isolation: 'process' });
    await executor.init();
    console.log((await executor.run('6 * 7')).output);
    await executor.cleanup();
  `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '42\n', stderr: '' });
  },
);

test.runIf(isLinux)('collected executors end their workers', async () => {
  const { status, stdout, stderr } = await runChild(
    `
    import { SESExecutor } from './index.mjs';
    import { workersOf } from './__test__/process/helpers.mjs';
    await (async () => {
      for (let round = 0; round < 5; round++) {
        await new SESExecutor({ isolation: 'process', spares: 0 }).init();
      }
    })();
    while (workersOf(process.pid).length > 0) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log('gone');
  `,
    { nodeArgs: ['--expose-gc'] },
  );
  expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'gone\n', stderr: '' });
});

test.runIf(isLinux)(
  'an abort and a settlement in the same moment settle the run once and leave no worker',
  async () => {
    const executor = inProcess();
    for (let round = 0; round < 20; round++) {
      await executor.init();
      const pid = pidOf(executor);
      const controller = new AbortController();
      await executor.sendTools({ settle: () => queueMicrotask(() => controller.abort('now')) });
      const outcome = await executor.run('settle(); 1', { signal: controller.signal }).then(
        ({ output }) => output,
        (error) => error.code,
      );
      expect([1, 'ERR_EXEC_TIMEOUT']).toContain(outcome);
      expect(executor.state).toBe(outcome === 1 ? 'READY' : 'DIRTY');
      await executor.cleanup();
      await ended(pid);
    }
    expect(workersOf(process.pid).length).toBeLessThanOrEqual(2);
  },
);
