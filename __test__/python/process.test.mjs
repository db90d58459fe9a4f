// Python in its own worker process: the same suite.

import { expect, test } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { ended, isLinux } from '../process/helpers.mjs';
import { describePython, failureOf } from './suite.mjs';

const isolation = 'process';
describePython('Python in a process', { isolation }, { startsFast: true, mounts: true });

test('a deadline kills the process, and the next call gets another one', async () => {
  const executor = new PyodideExecutor([], { isolation, mount: false });
  await executor.sendVariables({ kept: 1 });
  const { pid } = executor.isolation;
  const { code, details } = await failureOf(executor, 'sum(range(10**12))', { timeoutMs: 300 });
  expect([code, details.stateLost]).toStrictEqual(['ERR_EXEC_TIMEOUT', true]);
  expect((await executor.run('kept')).output).toBe(1);
  expect(executor.isolation.pid).not.toBe(pid);
  await executor.cleanup();
});

// The names that earlier runs had bound were gone without a word.
test.runIf(isLinux)('a process that ends while idle: only the next run reports the loss of names', async () => {
  const executor = new PyodideExecutor([], { isolation, mount: false });
  const lose = async () => {
    const { pid } = executor.isolation;
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    while (executor.state === 'READY') await new Promise((resolve) => setImmediate(resolve));
    expect(executor.state).toBe('DIRTY');
  };
  await executor.sendVariables({ sent: 1 });
  expect(await executor.run('kept = 2')).not.toHaveProperty('recovered');
  await lose();
  expect(await executor.run('[sent, "kept" in globals()]')).toMatchObject({ output: [1, false], recovered: true });
  expect(await executor.run('sent')).not.toHaveProperty('recovered');
  await lose();
  const { code, details, explanation } = await failureOf(executor, 'kept');
  expect([code, details.recovered]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', true]);
  expect(explanation).toContain('Variables and functions of earlier runs are gone');
  expect((await failureOf(executor, 'kept')).details).not.toHaveProperty('recovered');
  await executor.cleanup();
});
