// A worker process that ends, is killed, or hangs: a coded error, whatever was under way, and the next `init()` works.

import { spawnSync } from 'node:child_process';

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, gateTool, neverTool, runChild } from '../helpers.mjs';
import { ended, inProcess, isAlive, isLinux, pidOf, stop, withProcess, workersOf } from './helpers.mjs';

const KILLED = 'the worker process was ended by SIGKILL';

/** The error of a lost worker, and that the executor is DIRTY and can be used again. */
async function expectLost(executor, promise, { reason = KILLED, toolCalls = 0, logs } = {}) {
  const error = await expectCode(promise, 'ERR_WORKER_LOST');
  expect(error.message).toBe(`Worker lost: ${reason}`);
  expect({ ...error.details }).toStrictEqual({ reason, toolCalls });
  expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
  expect(error.logs).toBe(logs);
  expect(executor.state).toBe('DIRTY');
  await executor.cleanup();
  await executor.init();
  expect((await executor.run('40 + 2')).output).toBe(42);
  return error;
}

describe.runIf(isLinux)('SIGKILL', () => {
  test('while guest code computes keeps the log so far', async () => {
    const logged = deferred();
    const onLog = ({ message }) => message === 'second' && logged.resolve();
    await withProcess({ onLog }, {}, async (executor) => {
      const run = executor.run('console.log("first"); console.warn("second"); for (;;) {}', { maxOperations: 1e15 });
      await logged.promise;
      process.kill(pidOf(executor), 'SIGKILL');
      const error = await expectLost(executor, run, { logs: 'first\nsecond' });
      expect(error.logEntries.map(({ level, message }) => [level, message])).toStrictEqual([
        ['log', 'first'],
        ['warn', 'second'],
      ]);
      expect(error.stats.durationMs).toBeGreaterThan(0);
    });
  });

  test('while an async tool is awaited keeps the count of calls, and a late answer is dropped', async () => {
    const { tool, called, open } = gateTool();
    await withProcess({}, { tool, add: (a, b) => a + b }, async (executor) => {
      const run = executor.run('add(1, 2); await tool()');
      await called;
      process.kill(pidOf(executor), 'SIGKILL');
      await expectLost(executor, run, { toolCalls: 2, logs: '' });
      open('late');
      expect((await executor.run('"still " + "here"')).output).toBe('still here');
    });
  });

  test('while a sync tool works ends the run', async () => {
    const executor = inProcess();
    await executor.init();
    const kill = () => process.kill(pidOf(executor), 'SIGKILL');
    await executor.sendTools({ kill });
    await expectLost(executor, executor.run('kill()'), { toolCalls: 1, logs: '' });
    await executor.cleanup();
  });

  test('while the executor is idle is reported by every call until cleanup()', async () => {
    await withProcess({}, {}, async (executor) => {
      const pid = pidOf(executor);
      process.kill(pid, 'SIGKILL');
      await ended(pid);
      while (executor.state === 'READY') await new Promise((resolve) => setTimeout(resolve, 2));
      expect(executor.state).toBe('DIRTY');
      expect(executor.isolation.pid).toBe(undefined);
      for (const call of [
        () => executor.run('1'),
        () => executor.sendVariables({ a: 1 }),
        () => executor.sendTools({}),
      ]) {
        const error = await expectCode(call(), 'ERR_WORKER_LOST');
        expect({ ...error.details }).toStrictEqual({ reason: KILLED, toolCalls: 0 });
      }
      await expectLost(executor, executor.run('1'));
    });
  });

  test('before a run is reported by that run', async () => {
    await withProcess({}, {}, async (executor) => {
      process.kill(pidOf(executor), 'SIGKILL');
      const error = await expectCode(executor.run('1'), 'ERR_WORKER_LOST');
      expect(error.details.reason).toBe(KILLED);
    });
  });

  test('while runs wait in the queue refuses them', async () => {
    const { tool, called } = neverTool();
    await withProcess({ runConcurrency: 'queue', maxQueuedRuns: 2 }, { tool }, async (executor) => {
      const first = executor.run('await tool()');
      const second = executor.run('2');
      await called;
      process.kill(pidOf(executor), 'SIGKILL');
      await expectCode(first, 'ERR_WORKER_LOST');
      await expectCode(second, 'ERR_INVALID_STATE');
    });
  });

  test.each(['a variable', 'an argument', 'an output'])(
    'while %s of 64 MiB is in transit ends the run',
    async (what) => {
      const bytes = new Uint8Array(60 << 20);
      const entered = deferred();
      const tool = async () => entered.resolve();
      await withProcess({ memoryLimitMb: 512 }, { tool, take: async () => {} }, async (executor) => {
        const pid = pidOf(executor);
        const code = {
          'an argument': 'const bytes = new Uint8Array(60 << 20); await tool(); await take(bytes); await take(bytes)',
          'an output': 'const bytes = new Uint8Array(60 << 20); await tool(); bytes',
        };
        const call =
          what === 'a variable' ? executor.sendVariables({ bytes }) : executor.run(code[what], { timeoutMs: 30_000 });
        if (what !== 'a variable') await entered.promise;
        process.kill(pid, 'SIGKILL');
        await expectCode(call, 'ERR_WORKER_LOST');
        await executor.cleanup();
        await executor.init();
        await executor.sendVariables({ bytes });
        expect((await executor.run('bytes.length')).output).toBe(60 << 20);
      });
    },
  );
});

describe.runIf(isLinux)('P9 a worker that ends by itself', () => {
  test.each(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'])(
    'is reported with its reason: %s',
    async (signal) => {
      const { tool, called } = neverTool();
      await withProcess({}, { tool }, async (executor) => {
        const run = executor.run('console.log("before"); await tool()');
        await called;
        process.kill(pidOf(executor), signal);
        await expectLost(executor, run, {
          reason: `the worker process was ended by ${signal}`,
          toolCalls: 1,
          logs: 'before',
        });
      });
    },
  );

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'])('ignores %s, which is meant for the host', async (signal) => {
    await withProcess({}, {}, async (executor) => {
      process.kill(pidOf(executor), signal);
      expect((await executor.run('1 + 1')).output).toBe(2);
    });
  });

  test('is reaped: no process remains', async () => {
    const executor = inProcess();
    for (let round = 0; round < 5; round++) {
      await executor.init();
      const pid = pidOf(executor);
      process.kill(pid, 'SIGKILL');
      await expectCode(executor.run('1'), 'ERR_WORKER_LOST');
      expect(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout).toBe('');
      await executor.cleanup();
    }
  });
});

describe.runIf(isLinux)('P10 a worker that hangs (SIGSTOP)', () => {
  test('does not delay the deadline and is killed', async () => {
    await withProcess({}, {}, async (executor) => {
      const pid = pidOf(executor);
      await stop(pid);
      const error = await expectCode(executor.run('1', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
      expect(error.details).toMatchObject({ timeoutMs: 100, reason: 'deadline' });
      await ended(pid);
    });
  });

  test('does not delay an abort', async () => {
    await withProcess({}, {}, async (executor) => {
      const pid = pidOf(executor);
      await stop(pid);
      const controller = new AbortController();
      const run = executor.run('1', { signal: controller.signal });
      controller.abort('enough');
      const error = await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect(error.details).toMatchObject({ aborted: true, reason: 'enough' });
      await ended(pid);
    });
  });

  test('does not delay cleanup(), even with 64 MiB in transit', async () => {
    const executor = inProcess({ memoryLimitMb: 512 });
    await executor.init();
    const pid = pidOf(executor);
    await stop(pid);
    const sent = executor.sendVariables({ bytes: new Uint8Array(60 << 20) });
    const refused = expectCode(sent, 'ERR_INVALID_STATE');
    await executor.cleanup();
    await refused;
    await ended(pid);
    expect(executor.state).toBe('DEAD');
  });
});

describe.runIf(isLinux)('init()', () => {
  test('replaces a spare that has died', async () => {
    // The only executor of its engine, so that the spare is its own. Those of tests before may be about to end.
    const others = workersOf(process.pid);
    const executor = inProcess({ spares: 1, sandbox: 'off', memoryLimitMb: 37 });
    await executor.init();
    const isSpare = (pid) => pid !== executor.isolation.pid && !others.includes(pid);
    let spares = [];
    while (spares.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      spares = workersOf(process.pid).filter(isSpare);
    }
    for (const pid of spares) process.kill(pid, 'SIGKILL');
    for (const pid of spares) await ended(pid);
    await executor.cleanup();
    await executor.init();
    expect(isAlive(pidOf(executor))).toBe(true);
    expect(spares).not.toContain(pidOf(executor));
    expect((await executor.run('6 * 7')).output).toBe(42);
    await executor.cleanup();
  });

  // It waited for a minute, and failed then.
  test('replaces a stopped spare after five seconds', { timeout: 40_000 }, async () => {
    const { status, stdout, stderr } = await runChild(
      `
      import { SESExecutor, engineStats } from './index.mjs';
      import { ended, stop, workersOf } from './__test__/process/helpers.mjs';
      const executor = new SESExecutor({ isolation: 'process', spares: 1 });
      await executor.init();
      const first = executor.isolation.pid;
      while (engineStats().warm !== 1) await new Promise(setImmediate);
      const [spare] = workersOf(process.pid).filter((pid) => pid !== first);
      await stop(spare);
      await executor.cleanup();
      await executor.init();
      console.log([first, spare].includes(executor.isolation.pid));
      await ended(spare);
      await executor.sendVariables({ x: 40 });
      console.log((await executor.run('x + 2')).output);
      await executor.cleanup();
    `,
      { timeoutMs: 35_000 },
    );
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'false\n42\n', stderr: '' });
  });

  test('fails with a code while the worker is killed repeatedly', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { SESExecutor } from './index.mjs';
      import { workersOf } from './__test__/process/helpers.mjs';
      const executor = new SESExecutor({ isolation: 'process', spares: 0 });
      const codes = new Set();
      for (let round = 0; round < 10; round++) {
        const timer = setInterval(() => {
          for (const pid of workersOf(process.pid)) { try { process.kill(pid, 'SIGKILL'); } catch {} }
        }, 1);
        await executor.init().then(() => codes.add('made'), (error) => codes.add(error.code + ' ' + executor.state));
        clearInterval(timer);
        await executor.cleanup();
      }
      await executor.init();
      console.log((await executor.run('1')).output, codes.has('ERR_WORKER_LOST DEAD') || codes.has('made'), codes.size <= 2);
      await executor.cleanup();
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '1 true true\n', stderr: '' });
  });
});

// The system lets nobody kill what is root's: the worker went on for ever, and a spare ran code with the rights that
// were given away.
describe.runIf(isLinux && process.getuid?.() === 0)('a host that drops its privileges', () => {
  test('ends its earlier workers and uses none of them', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { SESExecutor, engineStats } from './index.mjs';
      import { ended, workersOf } from './__test__/process/helpers.mjs';
      const options = { isolation: 'process', spares: 1, timeoutMs: 500 };
      const [first, second] = [new SESExecutor(options), new SESExecutor(options)];
      await first.init();
      const { pid } = first.isolation;
      const isSpare = (worker) => worker !== pid;
      while (engineStats().warm !== 1) await new Promise(setImmediate);
      const [spare] = workersOf(process.pid).filter(isSpare);
      process.setgid(54321);
      process.setuid(54321);
      console.log((await first.run('1')).output);
      console.log(await first.run('for (;;) {}', { maxOperations: 2 ** 40 }).catch(({ code }) => code));
      await ended(pid);
      // Others may have no right to read the folder of the package.
      await second.init().catch(() => {});
      await ended(spare);
      console.log(second.isolation.pid !== spare);
      await first.cleanup();
      await second.cleanup();
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '1\nERR_EXEC_TIMEOUT\ntrue\n', stderr: '' });
  });
});
