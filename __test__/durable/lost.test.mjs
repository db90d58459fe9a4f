// Runs that end from outside are undone: the next run finds the state before them.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { openSession, untouchable } from './helpers.mjs';

const tools = { pay: async (n) => n, search: async (n) => n };
const BUSY = 'n = 99; await pay(1); await search(1); await search(2); for (;;);';

const ENDINGS = [
  ['a deadline while it computes', BUSY, () => ({ timeoutMs: 300, maxOperations: Infinity }), 'ERR_EXEC_TIMEOUT'],
  ['a deadline while it waits', BUSY.replace('for (;;);', 'await new Promise(() => {})'), () => ({ timeoutMs: 300 }), 'ERR_EXEC_TIMEOUT'],
  ['an abort', BUSY, () => ({ signal: AbortSignal.timeout(300), maxOperations: Infinity }), 'ERR_EXEC_TIMEOUT'],
  ['the memory limit', BUSY.replace('for (;;);', 'const hoard = []; for (;;) hoard.push({ at: hoard.length })'), () => ({ maxOperations: 1e9 }), 'ERR_MEMORY_LIMIT_EXCEEDED'],
]; // prettier-ignore

test.each(ENDINGS)('%s: the next run finds the state before', async (name, code, options, expected) => {
  const store = memoryStore();
  const executor = { memoryLimitMb: 32 };
  const session = await openSession('s', { store, tools, executor });
  await session.run('let n = 1; const numbers = (function* () { for (let i = 0; ; i++) yield i; })(); numbers.next()');
  const error = await rejection(session.run(code, options()));
  expect(error.code).toBe(expected);
  expect(error.details.stateLost).toBe(false);
  expect(error.details.lostCalls.map(({ name }) => name)).toStrictEqual(['pay', 'search', 'search']);
  expect(error.explanation).toContain('It had called `pay`, `search` (2 times), which may have taken effect.');
  expect(session.state).toBe('READY');
  const { output, recovered } = await session.run('[n, numbers.next().value]');
  expect([output, recovered]).toStrictEqual([[1, 1], undefined]);
  await session.cleanup();
  const again = await openSession('s', { store, tools: untouchable(tools), executor });
  expect((await again.run('[n, numbers.next().value]')).output).toStrictEqual([1, 2]);
});

test('a worker that is killed loses its run only', async () => {
  const kill = () => process.kill(session.isolation.pid, 'SIGKILL');
  const session = await openSession('s', { tools, executor: { isolation: 'process', onLog: kill } });
  await session.run('let n = 1');
  const error = await rejection(session.run('n = 2; await pay(1); console.log("paid"); await new Promise(() => {})'));
  expect(error.code).toBe('ERR_WORKER_LOST');
  expect(error.details.lostCalls).toMatchObject([{ key: 's/2/1', name: 'pay' }]);
  expect((await session.run('n')).output).toBe(1);
});

test('a worker that is killed between runs loses nothing', async () => {
  const session = await openSession('s', { tools, executor: { isolation: 'process' } });
  await session.run('let n = await pay(1)');
  process.kill(session.isolation.pid, 'SIGKILL');
  const outcome = await session.run('n').catch((error) => error);
  // Whether the end of the process is noticed before the run begins depends on the system.
  if (outcome instanceof Error) expect(outcome.code).toBe('ERR_WORKER_LOST');
  expect((await session.run('n')).output).toBe(1);
});

test.each([
  ['javascript', 'for (;;);', 'Math.random()', { maxOperations: Infinity }],
  ['python', 'sum(range(10**12))', 'import random\nrandom.random()', {}],
])(
  '%s: after a first run that is lost, random numbers are recorded, and a fork draws others',
  async (engine, lost, draw, executor) => {
    const options = { engine, store: memoryStore(), executor };
    const session = await openSession('s', options);
    expect((await rejection(session.run(lost, { timeoutMs: 300 }))).code).toBe('ERR_EXEC_TIMEOUT');
    const { output: drawn } = await session.run(draw);
    const fork = await session.fork('f', { run: 1 });
    expect((await rejection(fork.run(lost, { timeoutMs: 300 }))).code).toBe('ERR_EXEC_TIMEOUT');
    const { output: ofFork } = await fork.run(draw);
    expect(ofFork).not.toBe(drawn);
    for (const one of [session, fork]) {
      const next = (await one.run(draw)).output;
      await one.cleanup();
      const again = await openSession(one.id, options);
      expect((await again.run(draw)).output).not.toBe(next);
      expect(again.state).toBe('READY');
    }
  },
);
