// Two hosts and one session: one of them loses, before it calls a tool. And stores that fail.

import { expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, expectOneAnswer, inFolder, openSession, storeThatAppends, temporaryFolder } from './helpers.mjs';

test('a session in a folder that is open cannot be opened, and can be after cleanup', async () => {
  const folder = temporaryFolder();
  const first = await openSession('s', inFolder(folder));
  expect((await rejection(openSession('s', inFolder(folder)))).code).toBe('ERR_JOURNAL_CONFLICT');
  expect((await first.run('1')).output).toBe(1);
  await first.cleanup();
  await openSession('s', inFolder(folder));
});

test('a session that waits is free for other hosts', async () => {
  const folder = temporaryFolder();
  const tools = { ask: async () => waitForAnswer() };
  const first = await openSession('s', { ...inFolder(folder), tools });
  await first.start('const reply = await ask(); reply');
  const second = await openSession('s', { ...inFolder(folder), tools });
  expect((await second.answer({ 's/1/1': { result: 'second' } })).output.output).toBe('second');
  // The second host has it now.
  expect((await rejection(first.answer({ 's/1/1': { result: 'first' } }))).code).toBe('ERR_JOURNAL_CONFLICT');
  await second.cleanup();
  expect(await first.answer({ 's/1/1': { result: 'first' } })).toStrictEqual({ status: 'stale' });
  expect((await first.run('reply')).output).toBe('second');
});

test('without locks, the host that writes later loses before it calls a tool', async () => {
  const store = memoryStore();
  const called = [];
  const open = (name) => openSession('s', { store, tools: { act: async () => called.push(name) } });
  const [first, second] = [await open('first'), await open('second')];
  await first.run('await act()');
  const error = await rejection(second.run('await act()'));
  expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
  expect(called).toStrictEqual(['first']);
  expect(second.state).toBe('DEAD');
  await second.init();
  expect((await second.run('await act()')).output).toBe(2);
  expect(called).toStrictEqual(['first', 'second']);
});

test('of two hosts that answer the same call at the same time, one continues', async () => {
  const store = memoryStore();
  await expectOneAnswer((tools) => openSession('s', { store, tools }));
});

const KINDS = ['throws', 'rejects'];

test.each(KINDS)(
  'a store that %s ends the session before the tool is called or the guest gets the answer',
  async (kind) => {
    for (let failing = 1; failing < 8; failing++) {
      const inner = memoryStore();
      let count = -Infinity;
      const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const store = storeThatAppends(inner, (id, after, entries) => {
        if (++count < failing)
          return kind === 'throws'
            ? inner.append(id, after, entries)
            : Promise.resolve(inner.append(id, after, entries));
        if (kind === 'throws') throw full;
        return Promise.reject(full);
      });
      const called = [];
      const tools = { act: async (n) => (called.push(n), n) };
      const session = await openSession('s', { store, tools });
      await session.run('let n = 0; const seen = []');
      count = 0;
      const outcome = await session
        .run('for (let i = 1; i < 4; i++) { seen.push(await act(i)); } seen')
        .catch((error) => error);
      if (!(outcome instanceof Error)) break;
      expect(outcome.code).toBe('ERR_JOURNAL_INVALID');
      expect(outcome.details.flaw).toBe('store');
      expect(outcome.cause).toBe(full);
      expect(session.state).toBe('DEAD');
      expect((await rejection(session.run('1'))).code).toBe('ERR_INVALID_STATE');
      count = -Infinity;
      // Each call that was made has its entry: it is in doubt, or has its answer.
      await session.init();
      const known = new Set();
      for await (const entry of session.history()) if (entry.type === 'call') known.add(entry.args[0]);
      for (const n of called) expect([...known]).toContain(n);
      await session.cleanup();
    }
  },
);

test('a slow store only slows the session down', async () => {
  const inner = memoryStore();
  const store = storeThatAppends(inner, async (...args) => {
    await new Promise((done) => setTimeout(done, 3));
    return inner.append(...args);
  });
  const tools = { a: async (n) => n, s: (n) => n };
  const session = await openSession('s', { store, tools });
  const code =
    'const got = await Promise.all([1, 2, 3].map(async (n) => [await a(n), s(n)])); console.log(got.length); got';
  const { output, logs } = await session.run(code);
  expect([output, logs]).toStrictEqual([
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
    '3',
  ]);
  await session.cleanup();
  const again = await openSession('s', { store: inner, tools });
  expect((await again.run('got')).output).toStrictEqual(output);
});

test('nothing that follows from an answer takes effect before the answer is stored, or if storing it fails', async () => {
  const inner = memoryStore();
  const called = [];
  const pending = [];
  let isSlow = false;
  const store = storeThatAppends(inner, (...args) => {
    if (!isSlow) return inner.append(...args);
    return new Promise((done, fail) => pending.push({ done: () => done(inner.append(...args)), fail }));
  });
  const logs = [];
  const tools = { first: async () => ((isSlow = true), 1), second: async (n) => called.push(n) };
  const executor = { onLog: ({ message }) => logs.push(message) };
  const session = await openSession('s', { store, tools, executor });
  const run = session.run('const n = await first(); console.log("log", n); await second(n)');
  await expect.poll(() => pending.length).toBe(1);
  // The guest may go on meanwhile, as another one does.
  expect((await (await openSession('t')).run('1')).output).toBe(1);
  expect([called, logs, pending.length]).toStrictEqual([[], [], 1]);
  const before = (await all(inner.read('s'))).length;
  pending[0].fail(new Error('the disk is full'));
  expect(await rejection(run)).toMatchObject({ code: 'ERR_JOURNAL_INVALID', details: { flaw: 'store' } });
  expect([called, logs]).toStrictEqual([[], []]);
  expect(await all(inner.read('s'))).toHaveLength(before);
});
