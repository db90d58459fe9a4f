// The pool of isolates: what it makes, when, and how it comes back after isolates that could not be made.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Pool } from '../../build/sandbox/pool.js';
import { runChild } from '../helpers.mjs';
import { registry } from './market.mjs';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A pool whose isolates are made, or fail, when the test says so. */
function poolOf(size, maxMaking = size) {
  const asked = [];
  let disposed = 0;
  const made = [];
  const make = ({ isAwaited }) => new Promise((resolve, reject) => asked.push({ resolve, reject, isAwaited }));
  const pool = new Pool(make, size, maxMaking, { clearTimeout, setTimeout });
  /** Settles all that have been asked for; returns how many. */
  const settle = async (how) => {
    const all = asked.splice(0);
    for (const { resolve, reject } of all) {
      if (how === 'made') {
        made.push({ isLost: false, dispose: () => disposed++ });
        resolve(made.at(-1));
      } else reject(new Error('no thread'));
    }
    await vi.advanceTimersByTimeAsync(0);
    return all.length;
  };
  return { pool, asked, made, settle, disposed: () => disposed };
}

test('after a failure the pool retries one isolate at a time, after growing pauses', async () => {
  const { pool, asked, settle } = poolOf(3);
  expect(await settle('failed')).toBe(3);
  for (const pause of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) {
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await settle('failed')).toBe(1);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await settle('made')).toBe(1);
  // The others follow at once.
  expect(await settle('made')).toBe(2);
  expect(pool.ready).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller during a pause triggers an attempt, and its success ends the pause', async () => {
  const { pool, asked, settle } = poolOf(2);
  await settle('failed');
  const refused = pool.take();
  refused.catch(() => {});
  expect(await settle('failed')).toBe(1);
  await expect(refused).rejects.toThrow('no thread');
  const taken = pool.take();
  expect(asked).toHaveLength(1);
  await settle('made');
  await taken;
  expect(await settle('made')).toBe(2);
  expect(pool.ready).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('a closed or empty pool does not retry', async () => {
  const closed = poolOf(2);
  await closed.settle('failed');
  closed.pool.close(new Error('closed'));
  const late = poolOf(1);
  late.pool.close(new Error('closed'));
  await late.settle('failed');
  const none = poolOf(0, 1);
  const refused = none.pool.take();
  refused.catch(() => {});
  await none.settle('failed');
  await expect(refused).rejects.toThrow('no thread');
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([closed, late, none].map(({ asked }) => asked.length)).toStrictEqual([0, 0, 0]);
});

test('the pool creates isolates ahead up to its concurrency', async () => {
  const { pool, asked, settle } = poolOf(5, 2);
  for (const ready of [2, 4, 5]) {
    expect(asked.map(({ isAwaited }) => isAwaited)).toStrictEqual(Array(ready === 5 ? 1 : 2).fill(false));
    await settle('made');
    expect(pool.ready).toBe(ready);
  }
  expect(asked).toStrictEqual([]);
});

test('waiting callers each get an isolate made for them, and none is made ahead meanwhile', async () => {
  const { pool, asked, settle } = poolOf(2, 1);
  await settle('made');
  await settle('made');
  const taken = Array.from({ length: 5 }, () => pool.take());
  // Two were ready.
  expect(asked.map(({ isAwaited }) => isAwaited)).toStrictEqual([true, true, true]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(3);
  // One execution has ended, and its place is not filled either.
  pool.fill();
  expect(asked).toHaveLength(3);
  asked.shift().resolve({ isLost: false, dispose() {} });
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toHaveLength(2);
  expect(await settle('made')).toBe(2);
  await Promise.all(taken);
  expect(asked.map(({ isAwaited }) => isAwaited)).toStrictEqual([false]);
});

// One whose process had ended while it waited was given to an execution, which failed before it had begun.
test('an isolate that is lost while it waits is replaced and never handed out', async () => {
  const { pool, asked, made, settle, disposed } = poolOf(3);
  await settle('made');
  made[0].isLost = true;
  expect(await pool.take()).toBe(made[1]);
  expect(disposed()).toBe(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toHaveLength(2);
  made[2].isLost = true;
  const taken = pool.take();
  await settle('made');
  expect(await taken).toBe(made[3]);
  expect([disposed(), pool.ready]).toStrictEqual([2, 1]);
});

test.runIf(process.platform === 'linux')('an isolate is lost with its process', async () => {
  const { status, stdout, stderr } = await runChild(`
    import { Isolate } from './build/sandbox/isolate.js';
    import { Registry } from './build/sandbox/registry.js';
    import { workersOf } from './__test__/process/helpers.mjs';
    const { texts } = new Registry(${JSON.stringify(registry)});
    const options = { isolation: 'process', executionTimeoutMs: 10_000, maxSdkCalls: 1 };
    const { signal } = new AbortController();
    const isolate = await Isolate.make(options, texts, { isAwaited: true, signal });
    console.log(isolate.isLost);
    for (const pid of workersOf(process.pid)) process.kill(pid, 'SIGKILL');
    while (!isolate.isLost) await new Promise((resolve) => setTimeout(resolve, 5));
  `);
  expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'false\n', stderr: '' });
});

test('close() aborts the creation of isolates, ahead of use and for callers', async () => {
  const signals = [];
  const pool = new Pool(({ signal }) => (signals.push(signal), new Promise(() => {})), 1, 1, {
    clearTimeout,
    setTimeout,
  });
  const taken = [pool.take(), pool.take()].map((it) => it.catch((error) => error));
  expect(signals.map(({ aborted }) => aborted)).toStrictEqual([false, false]);
  const error = new Error('closed');
  pool.close(error);
  expect(signals.map(({ reason }) => reason)).toStrictEqual([error, error]);
  expect(await Promise.all(taken)).toStrictEqual([error, error]);
});

// A manager that was closed while its processes were made had them prepared first, and one that was stopped for a
// minute.
test.runIf(process.platform === 'linux')('an isolate that is no longer wanted ends before it is complete', async () => {
  const { status, stdout, stderr } = await runChild(`
    import { Isolate } from './build/sandbox/isolate.js';
    import { Registry } from './build/sandbox/registry.js';
    import { ended, stop, workersOf } from './__test__/process/helpers.mjs';
    const { texts } = new Registry(${JSON.stringify(registry)});
    const options = { isolation: 'process', executionTimeoutMs: 10_000, maxSdkCalls: 1 };
    const controller = new AbortController();
    const made = Isolate.make(options, texts, { isAwaited: true, signal: controller.signal }).catch(({ code }) => code);
    let workers = [];
    while (workers.length === 0) { await new Promise(setImmediate); workers = workersOf(process.pid); }
    await stop(workers[0]);
    controller.abort();
    console.log(await made);
    await ended(workers[0]);
  `);
  expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'ERR_INVALID_STATE\n', stderr: '' });
});

test('an isolate that is complete after close() is disposed of', async () => {
  const { pool, settle, disposed } = poolOf(2);
  pool.close(new Error('closed'));
  await settle('made');
  expect(disposed()).toBe(2);
});

test('a pause keeps no process alive', async () => {
  const { status, stdout } = await runChild(`
    import { Pool } from './build/sandbox/pool.js';
    const pool = new Pool(() => Promise.reject(new Error('no thread')), 1, 1);
    process.on('exit', () => console.log(pool.ready));
  `);
  expect({ status, stdout }).toStrictEqual({ status: 0, stdout: '0\n' });
});
