// A session whose replay is long begins again from its state when it is opened, if that is plain data only.

import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { durable, memoryStore } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, inFolder, openSession, storeOf, storeThatAppends, temporaryFolder, untouchable } from './helpers.mjs';

/** Three of them are more than 16 MiB. */
const LARGE = 'x'.repeat(6 << 20);
const tools = { large: async () => LARGE, add: async (a, b) => a + b };

/** A store with a session that has read three large texts. Its process has ended before it could begin again. */
async function long(code, more = {}) {
  const store = memoryStore();
  const session = await openSession('s', { store, tools, ...more });
  await session.run(code);
  for (let i = 0; i < 3; i++) await session.run('n += (await large()).length; undefined');
  await session.cleanup();
  const entries = await all(store.read('s'));
  const restart = entries.findIndex((entry, at) => at > 0 && Buffer.from(entry).includes('"format":1'));
  return restart < 0 ? store : storeOf(entries.slice(0, restart));
}

const typesOf = async (session) => (await all(session.history())).map(({ type }) => type);

test('plain variables replace the runs before them, and the session continues as it was', async () => {
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
])('%s stays: nothing is replaced, and the session does not try again soon', async (_, code, probe) => {
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

// The first entries of a checkpoint in a file were read without the others: a session without its variables.
test('a checkpoint whose end is missing in the file is not used', async () => {
  const folder = temporaryFolder();
  const shared = { ...inFolder(folder), tools };
  const session = await openSession('s', shared);
  await session.run('let n = 1; let list = [1];');
  for (let i = 0; i < 3; i++) await session.run('n += (await large()).length; undefined');
  expect(await typesOf(session)).toContain('restart');
  await session.cleanup();
  const path = join(folder, 's.journal');
  const whole = readFileSync(path);
  const start = whole.lastIndexOf('"format":1');
  for (const part of [0.5, 0.7, 0.9, 0.99]) {
    writeFileSync(path, whole);
    truncateSync(path, Math.floor(start + (whole.length - start) * part));
    const again = await openSession('s', { ...shared, tools: untouchable(tools) });
    expect((await again.run('[n, list]')).output, `${part}`).toStrictEqual([1 + 3 * LARGE.length, [1]]);
    await again.cleanup();
  }
});

test('a process that ends meanwhile leaves the journal unchanged', async () => {
  const store = await long('let n = 1;');
  const before = (await all(store.read('s'))).length;
  let appended = 0;
  const failing = storeThatAppends(store, () => {
    appended++;
    throw new Error('the disk is full');
  });
  await expect(openSession('s', { store: failing, tools })).rejects.toMatchObject({ code: 'ERR_JOURNAL_INVALID' });
  expect([appended, (await all(store.read('s'))).length]).toStrictEqual([1, before]);
  const session = await openSession('s', { store, tools });
  expect((await session.run('n')).output).toBe(1 + 3 * LARGE.length);
});

// The variables of a checkpoint had results of such tools.
test('a session with results that are not recorded is replayed, and no checkpoint has them', async () => {
  const store = memoryStore();
  const secret = durable(async () => 'a secret of the vault', { record: 'nothing' });
  const session = await openSession('s', { store, tools: { ...tools, secret } });
  await session.run('let n = 1; const token = await secret(); undefined');
  for (let i = 0; i < 3; i++) await session.run('n += (await large()).length; undefined');
  expect(await typesOf(session)).not.toContain('restart');
  await session.cleanup();
  const again = await openSession('s', { store, tools: { ...untouchable(tools), secret } });
  expect(await typesOf(again)).not.toContain('restart');
  expect((await again.run('token.length + n')).output).toBe(21 + 1 + 3 * LARGE.length);
  const text = (await all(store.read('s'))).map((entry) => Buffer.from(entry).toString('latin1')).join('');
  expect(text).not.toContain('a secret of the vault');
});

test('a session that continues begins again after a run, and its host notices nothing', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools });
  const outputs = [];
  for (const code of [
    'let n = 0; const list = [[]]; var same = list[0];',
    ...Array.from({ length: 4 }, () => 'n += (await large()).length; same.push(n); list[0].length'),
    'same.push(await add(1, 2)); [list[0] === same, n, same.length]',
  ]) {
    outputs.push((await session.run(code)).output);
    expect(session.state).toBe('READY');
  }
  expect(outputs.slice(1)).toStrictEqual([1, 2, 3, 4, [true, 4 * LARGE.length, 5]]);
  // After the third of the large runs, which were more than 16 MiB. The one after it was not.
  const history = await all(session.history());
  const restart = history.findIndex(({ type }) => type === 'restart');
  expect(history.filter(({ type }) => type === 'restart')).toHaveLength(1);
  expect(history[restart].run).toBe(4);
  expect(history.filter(({ type }) => type === 'call').at(-1).key).toBe('s/6/1');
  await session.cleanup();
  const again = await openSession('s', { store, tools: untouchable(tools) });
  expect((await again.run('same.length')).output).toBe(5);
});

test('runs that compute for two seconds are replaced too, but not those that wait', async () => {
  const store = memoryStore();
  const session = await openSession('s', {
    store,
    tools: { slow: () => new Promise((done) => setTimeout(done, 2_200)) },
  });
  await session.run('let n = 0; await slow()');
  expect(await typesOf(session)).not.toContain('restart');
  const options = { maxOperations: Infinity, timeoutMs: 60_000 };
  let [runs, worked] = [0, 0];
  while (!(await typesOf(session)).includes('restart')) {
    const { stats } = await session.run('for (const end = n + 3e6; n < end; n++) [n].map(String); n', options);
    [runs, worked] = [runs + 1, worked + stats.durationMs];
  }
  expect(worked).toBeGreaterThan(1_900);
  expect((await session.run('n')).output).toBe(3e6 * runs);
});

test('a session with functions is examined once, and stays unchanged', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools });
  await session.run('let n = 0; const f = () => n;');
  for (let i = 0; i < 5; i++) await session.run('n += (await large()).length; undefined');
  const looks = (await all(session.history())).filter(
    ({ type, run }, at, list) => type === 'run' && run === list[at - 1]?.run,
  );
  expect(await typesOf(session)).not.toContain('restart');
  expect(looks.map(({ run }) => run)).toStrictEqual([4]);
  expect((await session.run('f()')).output).toBe(5 * LARGE.length);
});

test('a store that fails while a session begins again does not fail the run before', async () => {
  const inner = memoryStore();
  let refused = 0;
  const store = storeThatAppends(inner, (id, after, entries, how) => {
    // The first entry of a restart has a head.
    if (after > 0 && entries.some((entry) => Buffer.from(entry).includes('"format":1'))) {
      refused++;
      throw new Error('the disk is full');
    }
    return inner.append(id, after, entries, how);
  });
  const session = await openSession('s', { store, tools });
  await session.run('let n = 0;');
  for (let i = 0; i < 2; i++) await session.run('n += (await large()).length; undefined');
  expect((await session.run('n += (await large()).length; n')).output).toBe(3 * LARGE.length);
  expect([refused, session.state]).toStrictEqual([1, 'DEAD']);
  await session.cleanup();
  const again = await openSession('s', { store: inner, tools });
  expect((await again.run('n')).output).toBe(3 * LARGE.length);
});

test('with a fixed seed, random numbers after a checkpoint are not those from the beginning', async () => {
  const outputs = [];
  for (let host = 0; host < 2; host++) {
    const session = await openSession('s', { tools, seed: 'order 7' });
    const drawn = [(await session.run('let n = 0; Math.random()')).output];
    for (let i = 0; i < 3; i++) await session.run('n += (await large()).length; undefined');
    expect(await typesOf(session)).toContain('restart');
    for (let i = 0; i < 2; i++) drawn.push((await session.run('Math.random()')).output);
    expect(new Set(drawn).size).toBe(3);
    outputs.push(drawn);
  }
  expect(outputs[1]).toStrictEqual(outputs[0]);
});

/** Texts of 6 MiB, each another one. */
const filling = { load: async (n) => LARGE + n };

test('data that stays is not written a second time', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools: filling, executor: { memoryLimitMb: 512 } });
  const runs = 8;
  await session.run('let list = []');
  for (let i = 0; i < runs; i++) await session.run(`list.push(await load(${i})); undefined`);
  expect(await typesOf(session)).not.toContain('restart');
  const bytes = (await all(store.read('s'))).reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes).toBeLessThan((runs + 1) * LARGE.length);
  await session.cleanup();
  const again = await openSession('s', { store, tools: untouchable(filling), executor: { memoryLimitMb: 512 } });
  expect((await again.run('list.length')).output).toBe(runs);
});

test('data that replaced a larger amount is not replaced after the next run', async () => {
  const maxJournalBytes = 256 << 20;
  const session = await openSession('s', { tools: filling, maxJournalBytes, executor: { memoryLimitMb: 512 } });
  await session.run('let list = []');
  // Of eight texts three stay, and these are more than 16 MiB.
  const code = (first) =>
    `for (let i = ${first}; i < ${first} + 8; i++) list.push(await load(i)); list = list.slice(-3);`;
  await session.run(`${code(0)} undefined`);
  for (let i = 0; i < 3; i++) await session.run('list[0] += "!"; undefined');
  expect((await typesOf(session)).filter((type) => type === 'restart')).toHaveLength(1);
  expect((await session.run('list.length')).output).toBe(3);
});

test('a checkpoint takes at most half of what is left of the journal', async () => {
  const maxJournalBytes = 12 * LARGE.length;
  const session = await openSession('s', { tools: filling, maxJournalBytes, executor: { memoryLimitMb: 512 } });
  await session.run('let list = []');
  await session.run('for (let i = 0; i < 8; i++) list.push(await load(i)); list = list.slice(-3); undefined');
  expect(await typesOf(session)).not.toContain('restart');
  for (let i = 0; i < 3; i++) expect((await session.run(`(await load(${i})).length`)).output).toBe(LARGE.length + 1);
});
