// What a caller sees when workers, their processes and the broker fail.

import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { openBroker } from '../broker.mjs';
import { deferred, expectCode } from '../helpers.mjs';
import { stop } from '../process/helpers.mjs';
import {
  childOf,
  expectAnotherSession,
  makeRemote,
  openFleet,
  startClient,
  startWorker,
  until,
  waitingRun,
} from './helpers.mjs';

const ONE = ['--spares', '0'];

async function expectLost(promise, reason, { toolCalls = 0, logs } = {}) {
  const error = await expectCode(promise, 'ERR_WORKER_LOST');
  expect({ ...error.details }).toStrictEqual({ reason, toolCalls });
  expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
  expect(error.logs).toBe(logs);
  return error;
}

const expectNoWorker = async (promise, reason) => {
  const error = await expectCode(promise, 'ERR_NO_WORKER');
  expect({ ...error.details }).toStrictEqual({ reason });
  expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
  return error;
};

describe('a worker that is lost in a run', () => {
  test('because the process of the session was killed keeps the log so far, and init() makes another one', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const logged = deferred();
    const executor = await makeRemote(remote, { onLog: ({ message }) => message === 'second' && logged.resolve() });
    const run = executor.run('console.log("first"); console.log("second"); for (;;) {}', { maxOperations: 1e15 });
    await logged.promise;
    process.kill(await childOf(worker), 'SIGKILL');
    await expectLost(run, 'gone', { logs: 'first\nsecond' });
    expect(executor.state).toBe('DIRTY');
    await expectAnotherSession(executor);
  });

  test('because its supervisor was killed is gone, and so are its processes', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { run } = await waitingRun(remote);
    const child = await childOf(worker);
    worker.kill('SIGKILL');
    await expectLost(run, 'gone', { toolCalls: 1, logs: '' });
    await until(() => !worker.children.includes(child));
  });

  test('because its supervisor was stopped counts as hung', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { run } = await waitingRun(remote);
    await stop(worker.pid);
    await expectLost(run, 'hung', { toolCalls: 1, logs: '' });
  });
});

test.each([
  ['its supervisor', (worker) => worker.kill('SIGKILL')],
  ['the process of the session', async (worker) => process.kill(await childOf(worker), 'SIGKILL')],
])(
  'a worker that is lost while the session is idle, because %s was killed, fails the next call',
  async (_what, kill) => {
    const { worker, remote } = await openFleet({ args: ONE });
    const executor = await makeRemote(remote);
    await kill(worker);
    await until(() => executor.state === 'DIRTY');
    await expectLost(executor.run('1'), 'gone');
  },
);

describe('init()', () => {
  test('fails immediately without a worker, and works when there is one', async () => {
    const broker = await openBroker();
    const executor = new SESExecutor({ isolation: 'remote', remote: { servers: broker.url } });
    await expectNoWorker(executor.init(), 'none');
    expect(executor.state).toBe('DEAD');
    await startWorker(broker.url, { args: ONE });
    await executor.init();
    expect(executor.isolation).toMatchObject({ mode: 'remote', worker: expect.any(String), node: expect.any(String) });
    await executor.cleanup();
  });

  test('fails if all workers are full, and works when a session has ended', async () => {
    const { remote } = await openFleet({ args: [...ONE, '--capacity', '1'] });
    const first = await makeRemote(remote);
    const second = new SESExecutor({ isolation: 'remote', remote });
    await expectNoWorker(second.init(), 'full');
    await first.cleanup();
    await second.init();
    expect((await second.run('1 + 1')).output).toBe(2);
    await second.cleanup();
  });

  test('fails without a broker, and works when it is there', async () => {
    const broker = await openBroker();
    const remote = { servers: broker.url };
    await broker.stop();
    const executor = new SESExecutor({ isolation: 'remote', remote });
    await expectNoWorker(executor.init(), 'broker');
    await broker.start();
    await startWorker(broker.url, { args: ONE });
    await executor.init();
    await executor.cleanup();
  }, 30_000);

  test('finds a worker although another one of the pool is stopped', async () => {
    const { broker, worker, remote } = await openFleet({ args: ONE });
    await startWorker(broker.url, { args: ONE });
    await stop(worker.pid);
    for (let count = 0; count < 6; count++) {
      const executor = await makeRemote(remote);
      expect((await executor.run('1')).output).toBe(1);
      await executor.cleanup();
    }
  }, 60_000);

  test('refuses an engine that the worker does not have', async () => {
    const { remote } = await openFleet({ args: [...ONE, '--memory', '64'] });
    const executor = new SESExecutor({ isolation: 'remote', remote, memoryLimitMb: 128 });
    const error = await expectNoWorker(executor.init(), 'refused');
    expect(error.message).toBe('No worker: the worker allows sessions 64 MB of memory at most');
  });
});

describe('a broker that is away for less than its budget', () => {
  const program = 'let sum = 0; for (let i = 0; i < 900; i++) sum += add(i); sum';
  const SUM = (899 * 900) / 2;

  test.each([0, 50, 1000, 5000])(
    'and comes back after %d ms is not noticed',
    async (ms) => {
      const { broker, remote } = await openFleet({ args: ONE });
      const begun = deferred();
      const add = (n) => (n === 100 && begun.resolve(), n);
      const executor = await makeRemote(remote, { timeoutMs: 60_000 }, { add });
      const run = executor.run(program);
      await begun.promise;
      await broker.kill();
      await new Promise((resolve) => setTimeout(resolve, ms));
      await broker.start();
      expect((await run).output).toBe(SUM);
    },
    60_000,
  );

  test('and is only stopped is not noticed', async () => {
    const { broker, remote } = await openFleet({ args: ONE });
    const begun = deferred();
    const add = (n) => (n === 100 && begun.resolve(), n);
    const executor = await makeRemote(remote, { timeoutMs: 60_000 }, { add });
    const run = executor.run(program);
    await begun.promise;
    broker.pause();
    // Longer than a worker may be silent.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    broker.resume();
    expect((await run).output).toBe(SUM);
  }, 60_000);
});

test('a broker that is away for longer than its budget loses the run', async () => {
  const { broker, remote } = await openFleet({ args: ONE });
  const { run } = await waitingRun(remote, { timeoutMs: 100_000 });
  await broker.kill();
  await expectLost(run, 'broker', { toolCalls: 1, logs: '' });
}, 60_000);

describe('a worker that is drained', () => {
  test('lets runs end, loses idle sessions, and ends', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const idle = await makeRemote(remote);
    const { executor: busy, run, open } = await waitingRun(remote);
    worker.kill('SIGTERM');
    await until(() => idle.state === 'DIRTY');
    await expectLost(idle.run('1'), 'draining');
    expect(busy.state).toBe('RUNNING');
    open('done');
    expect((await run).output).toBe('done');
    expect(await worker.ended()).toBe(0);
    await until(() => busy.state === 'DIRTY');
    await expectLost(busy.run('1'), 'draining');
  }, 30_000);

  test('ends runs that take longer than its grace', async () => {
    const { worker, remote } = await openFleet({ args: [...ONE, '--grace', '200'] });
    const { run } = await waitingRun(remote);
    worker.kill('SIGTERM');
    await expectLost(run, 'draining', { toolCalls: 1, logs: '' });
    expect(await worker.ended()).toBe(0);
  }, 30_000);

  test('takes no new sessions, which go to another worker', async () => {
    const { broker, worker, remote } = await openFleet({ args: ONE });
    const { executor: busy, run } = await waitingRun(remote);
    const before = busy.isolation.worker;
    worker.kill('SIGTERM');
    await worker.line(/takes no more sessions/);
    await expectNoWorker(new SESExecutor({ isolation: 'remote', remote }).init(), 'full');
    await startWorker(broker.url, { args: ONE });
    const next = await makeRemote(remote);
    expect(next.isolation.worker).not.toBe(before);
    worker.kill('SIGKILL');
    await expectLost(run, 'draining', { toolCalls: 1, logs: '' });
  }, 30_000);
});

/** Resolves when the only place of the worker is free. */
const expectFree = (remote) =>
  until(async () => {
    const executor = new SESExecutor({ isolation: 'remote', remote });
    try {
      await executor.init();
      return (await executor.run('40 + 2')).output === 42;
    } catch (error) {
      expect(error.details.reason).toBe('full');
      return false;
    } finally {
      await executor.cleanup();
    }
  });

describe('a client that is killed', () => {
  test.each([
    ['while its session is idle', `await executor.run('1'); setInterval(() => {}, 1_000); say('ready')`],
    ['in a run', `await executor.run('console.log("ready"); for (;;) {}')`],
    // The thread that reads from the process waited for room in a channel that nobody read any more.
    [
      'while the guest writes more than there is room for',
      `await executor.run('for (;;) console.log("ready".repeat(1e4))')`,
    ],
  ])(
    '%s leaves no process behind, and its place is free',
    async (_when, code) => {
      const { worker, remote } = await openFleet({ args: [...ONE, '--capacity', '1'] });
      const client = startClient(remote, code);
      await client.line(/ready/);
      client.kill();
      await until(() => worker.children.length === 0);
      await expectFree(remote);
    },
    30_000,
  );
});

describe('many sessions', () => {
  test('with 16 MiB each from the guest lose nothing and cut no connection', async () => {
    const { broker, remote } = await openFleet({ args: ONE });
    const program = '"x".repeat(16 * 2 ** 20)';
    const options = { maxTransferBytes: 32 << 20, timeoutMs: 100_000 };
    const executors = await Promise.all(Array.from({ length: 16 }, () => makeRemote(remote, options)));
    const outputs = await Promise.all(executors.map((executor) => executor.run(program)));
    expect(outputs.map(({ output }) => output.length)).toStrictEqual(outputs.map(() => 16 * 2 ** 20));
    expect(broker.log).not.toContain('Slow Consumer');
  }, 120_000);

  test('with 16 MiB each to the guest lose nothing', async () => {
    const { remote } = await openFleet({ args: ONE });
    const options = { maxTransferBytes: 32 << 20, timeoutMs: 100_000 };
    const executors = await Promise.all(Array.from({ length: 4 }, () => makeRemote(remote, options)));
    const text = 'x'.repeat(16 * 2 ** 20);
    await Promise.all(executors.map((executor) => executor.sendVariables({ text })));
    const outputs = await Promise.all(executors.map((executor) => executor.run('text.length')));
    expect(outputs.map(({ output }) => output)).toStrictEqual(outputs.map(() => 16 * 2 ** 20));
  }, 120_000);
});

test('three workers that are replaced one after the other lose no run', async () => {
  const broker = await openBroker();
  const start = (name) => startWorker(broker.url, { args: [...ONE, '--name', name] });
  const workers = [await start('a1'), await start('b1'), await start('c1')];
  const remote = { servers: broker.url };
  let isOver = false;
  const counts = { runs: 0, lost: [] };
  const load = async () => {
    const options = { isolation: 'remote', remote, autoInit: true, recover: true, timeoutMs: 60_000 };
    const executor = new SESExecutor(options);
    while (!isOver) {
      try {
        const { output } = await executor.run('let n = 0; for (let i = 0; i < 1000; i++) n += i; n');
        expect(output).toBe(499_500);
        counts.runs++;
      } catch (error) {
        counts.lost.push([error.code, error.details.reason, error.details.toolCalls]);
      }
    }
    await executor.cleanup();
  };
  const all = [load(), load(), load(), load()];
  for (const [index, name] of ['a2', 'b2', 'c2'].entries()) {
    await start(name);
    const before = counts.runs;
    workers[index].kill('SIGTERM');
    expect(await workers[index].ended()).toBe(0);
    await until(() => counts.runs > before + 20);
  }
  isOver = true;
  await Promise.all(all);
  // A session may be lost between two runs: the next call says so, and nothing of it has run.
  expect(
    counts.lost.filter(([code, reason, calls]) => code !== 'ERR_WORKER_LOST' || reason !== 'draining' || calls > 0),
  ).toStrictEqual([]);
}, 120_000);
