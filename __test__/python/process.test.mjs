// Python in a worker process of its own: the same suite.

import { expect, test } from 'vitest';

import { PyodideExecutor } from '../../lib/python/index.js';
import { describePython, failureOf } from './suite.mjs';

const isolation = 'process';
describePython('Python in a process', { isolation }, { startsFast: true, mounts: true });

test('a deadline kills the process, and the next call finds another one', async () => {
  const executor = new PyodideExecutor([], { isolation, mount: false });
  await executor.sendVariables({ kept: 1 });
  const { pid } = executor.isolation;
  const { code, details } = await failureOf(executor, 'sum(range(10**12))', { timeoutMs: 300 });
  expect([code, details.stateLost]).toStrictEqual(['ERR_EXEC_TIMEOUT', true]);
  expect((await executor.run('kept')).output).toBe(1);
  expect(executor.isolation.pid).not.toBe(pid);
  await executor.cleanup();
});
