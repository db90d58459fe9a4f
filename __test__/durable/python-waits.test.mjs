// Programs of Python that wait: for several answers, for an approval by policy, in a synchronous tool, and in another
// place. What the session fixes for them: the clock and the time zone.

import { expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { openSession } from './helpers.mjs';

const TOOLS = {
  ask: async (question) => waitForAnswer({ question }),
  askNow: (question) => waitForAnswer({ question }),
  add: async (n) => n + 1,
  now: (n) => n + 1,
};
const TIMEOUT = { timeout: 120_000 };
const optionsWith = (executor = {}) => ({
  store: memoryStore(),
  engine: 'python',
  tools: TOOLS,
  executor: { authorized_imports: ['*'], ...executor },
});

test('several calls wait at the same time, and each gets its own answer', TIMEOUT, async () => {
  const options = optionsWith();
  const first = await openSession('s', options);
  const { status, calls } = await first.start(`
import asyncio
found = await asyncio.gather(asyncio.to_thread(ask, "a"), asyncio.to_thread(add, 1), asyncio.to_thread(ask, "b"))
found`);
  expect([status, calls.map(({ args }) => args)]).toStrictEqual(['waiting', [['a'], ['b']]]);
  await first.cleanup();
  const again = await openSession('s', options);
  const [a, b] = calls.map(({ key }) => key);
  expect(await again.answer({ [b]: { result: 'B' } })).toMatchObject({ status: 'waiting', calls: [{ key: a }] });
  expect((await again.answer({ [a]: { result: 'A' } })).output.output).toStrictEqual(['A', 2, 'B']);
});

test('a policy lets a call wait, and an approval makes it', TIMEOUT, async () => {
  const options = optionsWith({ onToolCall: ({ name, args }) => (name === 'add' ? { wait: { args } } : undefined) });
  const first = await openSession('s', options);
  const { calls } = await first.start('found = add(4)\nfound');
  expect(calls).toMatchObject([{ name: 'add', args: [4], payload: { args: [4] } }]);
  await first.cleanup();
  const again = await openSession('s', options);
  expect((await again.answer({ [calls[0].key]: { approve: true } })).output.output).toBe(5);
});

test('a synchronous call waits in a process, and continues on a thread', TIMEOUT, async () => {
  const options = optionsWith({ isolation: 'process' });
  const first = await openSession('s', options);
  const { calls } = await first.start('reply = askNow("q")\n[reply, now(1)]');
  await first.cleanup();
  const again = await openSession('s', { ...options, executor: { ...options.executor, isolation: 'thread' } });
  expect((await again.answer({ [calls[0].key]: { result: 7 } })).output.output).toStrictEqual([7, 2]);
  expect(again.isolation.mode).toBe('thread');
});

test('time stands still while code runs, and sleeping moves it', TIMEOUT, async () => {
  const session = await openSession('s', optionsWith());
  const { output } = await session.run(`
import asyncio, datetime, time
began = [time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now()]
sum(range(20_000))
same = began == [time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now()]
await asyncio.sleep(2)
[same, time.time() - began[0] >= 2]`);
  expect(output).toStrictEqual([true, true]);
});

test('the time zone is that of the session, and nothing of the host is mounted', TIMEOUT, async () => {
  const session = await openSession('s', { ...optionsWith(), timeZone: 'Asia/Tokyo' });
  const { output } = await session.run(`
import datetime, os, time
[time.localtime(0).tm_hour, datetime.datetime.fromtimestamp(0).hour, os.path.exists("/mnt"), os.listdir(os.getcwd())]`);
  expect(output).toStrictEqual([9, 9, false, []]);
});
