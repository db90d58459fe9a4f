// A session whose replay is long begins again from its state when it is opened, if that is plain data only.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession, untouchable } from './helpers.mjs';

/** Three of them are more than 16 MiB. */
const LARGE = 'x'.repeat(6 << 20);
const tools = { large: async () => LARGE, add: async (a, b) => a + b };

/** A store with a session that has read three large texts. */
async function long(code, more = {}) {
  const store = memoryStore();
  const session = await openSession('s', { store, tools, ...more });
  await session.run(code);
  for (let i = 0; i < 3; i++) await session.run('n += (await large()).length; undefined');
  await session.cleanup();
  return store;
}

const typesOf = async (session) => (await all(session.history())).map(({ type }) => type);

test('plain variables replace the runs before them, and the session goes on as it was', async () => {
  const variables = { sent: { of: ['host'] } };
  const store = await long(
    'let n = 1; const list = [[1, , 2]]; var same = list[0]; let at; const held = 1; const get = { held };',
    { variables },
  );
  const session = await openSession('s', { store, tools: untouchable(tools) });
  expect(await typesOf(session)).toContain('restart');
  expect(session.recovery).toBeUndefined();
  const { output, recovered } = await session.run('same.push(n); [list, n, at, typeof restored, sent.of]');
  const n = 1 + 3 * LARGE.length;
  expect(output).toStrictEqual([[[1, , 2, n]], n, undefined, 'undefined', ['host']]); // eslint-disable-line no-sparse-arrays -- a hole
  expect(recovered).toBeUndefined();
  expect((await rejection(session.run('list = 1'))).message).toContain('constant');
  expect((await rejection(session.run('held = 1'))).message).toContain('constant');
  await session.cleanup();
  const again = await openSession('s', { store, tools });
  expect((await again.run('n = await add(1, 2); same.length')).output).toBe(4);
  // The numbers of runs go on, and the second open had nothing long to repeat.
  const history = await all(again.history());
  expect(history.filter(({ type }) => type === 'call').at(-1)).toMatchObject({ key: 's/8/1', name: 'add' });
  expect(history.filter(({ type }) => type === 'restart')).toHaveLength(1);
  await again.cleanup();
  const third = await openSession('s', { store, tools: untouchable(tools) });
  expect((await third.run('[n, same.length]')).output).toStrictEqual([3, 4]);
  const view = await third.replayTo({ run: 2 });
  expect((await view.run('n')).output).toBe(1 + LARGE.length);
  await view.cleanup();
});

test.each([
  ['a function', 'let n = 1; const f = () => n;', 'f()'],
  ['an instance', 'let n = 1; const m = new (class { #n = 1; get() { return this.#n; } })();', 'm.get() && n'],
  ['a generator', 'let n = 1; const g = (function* () { yield 1; yield n; })(); g.next();', 'g.next().value'],
])('%s stays: nothing is replaced, and the session does not look again soon', async (_, code, probe) => {
  const store = await long(code);
  const runs = [];
  for (let i = 0; i < 2; i++) {
    const session = await openSession('s', { store, tools: untouchable(tools) });
    const history = await all(session.history());
    expect(history.map(({ type }) => type)).not.toContain('restart');
    runs.push(history.filter(({ type }) => type === 'run').map(({ run }) => run));
    await session.cleanup();
  }
  // The look is a run that has no number.
  expect(runs).toStrictEqual([
    [1, 2, 3, 4, 4],
    [1, 2, 3, 4, 4],
  ]);
  const session = await openSession('s', { store, tools });
  expect((await session.run(probe)).output).toBe(1 + 3 * LARGE.length);
});

test('a process that ends meanwhile leaves the journal as it was', async () => {
  const store = await long('let n = 1;');
  const before = (await all(store.read('s'))).length;
  let appended = 0;
  const failing = {
    ...store,
    isInMemory: true,
    read: (...args) => store.read(...args),
    list: () => store.list(),
    remove: (id) => store.remove(id),
    append: () => {
      appended++;
      throw new Error('the disk is full');
    },
  };
  await expect(openSession('s', { store: failing, tools })).rejects.toMatchObject({ code: 'ERR_JOURNAL_INVALID' });
  expect([appended, (await all(store.read('s'))).length]).toStrictEqual([1, before]);
  const session = await openSession('s', { store, tools });
  expect((await session.run('n')).output).toBe(1 + 3 * LARGE.length);
});
