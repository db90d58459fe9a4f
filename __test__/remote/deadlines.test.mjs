// Deadlines over a distance: the process of a session keeps them, so the distance does not count.

import { describe, expect, onTestFinished, test } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { openBroker } from '../broker.mjs';
import { deferred, expectCode } from '../helpers.mjs';
import { stop } from '../process/helpers.mjs';
import { makeRemote, startWorker, until } from './helpers.mjs';
import { openProxy } from './proxy.mjs';

/** An executor that is 40 ms away from its worker, or farther. */
async function openDistant(options, tools, delayMs = 40) {
  const broker = await openBroker();
  const proxy = await openProxy(broker.port, { delayMs });
  const worker = await startWorker(broker.url, { args: ['--spares', '0'] });
  const executor = await makeRemote({ servers: proxy.url }, options, tools);
  return { remote: { servers: proxy.url }, executor, worker };
}

/**
 * Runs code that reaches its deadline. On a machine that has too much to do, the guest may not end in time and lose its
 * state, as on a thread: then once more.
 */
async function keptAfter(executor, code) {
  for (let tries = 1; ; tries++) {
    await executor.run('var kept = 1;', { timeoutMs: 60_000 });
    const { details } = await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
    if (details.stateLost === false || tries === 5) return details;
  }
}

/** Guest code that works for this long. */
const work = (ms) => `const end = Date.now() + ${ms}; while (Date.now() < end);`;

describe('a session that keeps its state, at a distance of 40 ms', () => {
  test.each([
    ['computes', 'for (;;) {}'],
    ['waits for a tool', 'never()'],
    ['awaits a tool', 'await never()'],
  ])('keeps it when a run that %s reaches its deadline', async (_title, code) => {
    const never = deferred();
    const options = { keepState: true, recover: true, timeoutMs: 300, maxOperations: 1e15 };
    const { executor } = await openDistant(options, { never: () => never.promise });
    const details = await keptAfter(executor, code);
    expect(details).toMatchObject({ reason: 'deadline', timeoutMs: 300, stateLost: false });
    expect((await executor.run('kept')).output).toBe(1);
    never.resolve();
  });

  test('lets a run work for its whole time', async () => {
    const { executor } = await openDistant({ keepState: true, maxOperations: 1e15 });
    const { output } = await executor.run(`${work(250)} 'done'`, { timeoutMs: 1_000 });
    expect(output).toBe('done');
  });

  test('does not count the round trips of tools with a time limit', async () => {
    const options = { keepState: true, timeoutMs: 1_500, toolTimeoutMs: 60_000 };
    const { executor } = await openDistant(options, { add: (a, b) => a + b });
    // 40 round trips take 3,200 ms, which is more than the deadline and the margin of the host.
    const { output } = await executor.run('let n = 0; for (let i = 0; i < 40; i++) n = add(n, 1); n');
    expect(output).toBe(40);
  });

  test('counts the waits for tools without a time limit', async () => {
    const options = { keepState: true, recover: true, timeoutMs: 400 };
    const { executor } = await openDistant(options, { add: (a, b) => a + b });
    const details = await keptAfter(executor, 'let n = 0; for (let i = 0; i < 100; i++) n = add(n, 1); n');
    expect(details.stateLost).toBe(false);
    expect((await executor.run('kept')).output).toBe(1);
  });

  test('is ended if it does not end by itself', async () => {
    const { remote } = await openDistant({});
    const python = new PyodideExecutor(undefined, { isolation: 'remote', remote, timeoutMs: 300 });
    onTestFinished(() => python.cleanup());
    await python.init();
    const error = await expectCode(python.run('sum(range(10**12))'), 'ERR_EXEC_TIMEOUT');
    expect(error.details).toMatchObject({ reason: 'deadline', stateLost: true });
  }, 120_000);
});

// An echo counted only before the next ping, and there is none over such a distance.
test('a worker that is stopped counts as hung, at a distance of 200 ms', async () => {
  const { executor, worker } = await openDistant({}, {}, 200);
  expect((await executor.run('1 + 1')).output).toBe(2);
  await stop(worker.pid);
  await until(() => executor.state === 'DIRTY');
  const { details } = await expectCode(executor.run('1'), 'ERR_WORKER_LOST');
  expect({ ...details }).toStrictEqual({ reason: 'hung', toolCalls: 0 });
});
