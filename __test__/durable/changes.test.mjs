// What has changed when a session is opened again: the clock, the engine, the names of tools.

import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession, storeOf, untouchable } from './helpers.mjs';

/** A copy of a store, without keys, in whose entries bytes are replaced by as many others. */
async function replaced(store, before, after) {
  let count = 0;
  const entries = (await all(store.read('s'))).map((entry) => {
    const bytes = Buffer.from(entry);
    for (let at; (at = bytes.indexOf(before)) >= 0; count++) after.copy(bytes, at);
    return bytes;
  });
  return { copy: storeOf(entries), count };
}

const double = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};

test.each([
  ['ahead', 50 * 365 * 86_400_000],
  ['behind', -365 * 86_400_000],
])('a host whose clock was %s leaves a session whose time does not go back', async (_, difference) => {
  const store = memoryStore();
  const session = await openSession('s', { store });
  await session.run('const first = Date.now(); undefined');
  await session.cleanup();
  const told = await openSession('s', { store });
  const view = await told.replayTo({ run: 1 });
  const recorded = (await view.run('first')).output;
  await Promise.all([view.cleanup(), told.cleanup()]);
  const { copy, count } = await replaced(store, double(recorded), double(recorded + difference));
  expect(count).toBe(1);
  const again = await openSession('s', { store: copy });
  const { output } = await again.run('const second = Date.now(); [first, second, new Date().getTime() === second]');
  expect(output[0]).toBe(recorded + difference);
  expect(output[1]).toBeGreaterThanOrEqual(Math.max(output[0], recorded));
  expect(output[2]).toBe(true);
  await again.cleanup();
  const third = await openSession('s', { store: copy });
  expect((await third.run('[first, second]')).output).toStrictEqual(output.slice(0, 2));
});

test.each([
  ['addon', /"addon":"(\w{32})"/],
  ['package', /"package":"([^"]*)"/],
  ['v8', /"v8":"([^"]*)"/],
  ['icu', /"icu":"([^"]*)"/],
  ['arch', /"arch":"([^"]*)"/],
])('a call is approved after a change of the engine (%s)', async (name, pattern) => {
  const store = memoryStore();
  const paid = [];
  const tools = {
    pay: async (amount) => paid.push(amount),
    ask: async () => waitForAnswer('Pay?'),
  };
  const session = await openSession('s', { store, tools });
  await session.run('let total = 0; const add = async (n) => { await pay(n); total += n; }; await add(5)');
  await session.start('await add(7); if (await ask()) await add(9); total');
  await session.cleanup();
  const [head] = await all(store.read('s'));
  const [whole, version] = pattern.exec(Buffer.from(head).toString('latin1'));
  const other = 'x'.repeat(version.length);
  const { copy, count } = await replaced(store, Buffer.from(whole), Buffer.from(whole.replace(version, other)));
  expect(count).toBe(1);
  const refused = await rejection(openSession('s', { store: copy, tools, onEngineChange: 'refuse' }));
  expect(refused).toMatchObject({ code: 'ERR_REPLAY_ENGINE', details: { name, expected: other, actual: version } });
  const later = await openSession('s', { store: copy, tools });
  expect(later.waiting).toMatchObject([{ key: 's/2/2', payload: 'Pay?' }]);
  expect(await later.answer({ 's/2/2': { result: true } })).toMatchObject({ output: { output: 21 } });
  expect(paid).toStrictEqual([5, 7, 9]);
  const notes = (await all(later.history())).filter(({ type, engine }) => type === 'note' && engine !== undefined);
  expect(notes).toMatchObject([{ engine: { [name]: version } }]);
  await later.cleanup();
  const last = await openSession('s', { store: copy, tools: untouchable(tools) });
  expect((await last.run('total')).output).toBe(21);
});

/** The head of a new journal. */
async function headOf(store) {
  const [head] = await all(store.read('s'));
  const text = Buffer.from(head).toString('latin1');
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

test('the head names the V8 and the ICU that the addon is linked with, not those of Node.js', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store });
  // Unicode 16 is that of ICU 76 and 77.
  const { output } = await session.run('/^\\p{Script=Garay}$/v.test("\\u{10D40}")');
  expect(output).toBe(true);
  const { versions } = await headOf(store);
  // The crate `v8` has the version of Chrome: 150.4 contains V8 15.0.
  const crate = /^name = "v8"\nversion = "(\d+)(\d)\.\d+\.\d+"$/m.exec(
    readFileSync(new URL('../../Cargo.lock', import.meta.url), 'utf8'),
  );
  expect(versions.v8.split('.').slice(0, 2)).toStrictEqual(crate.slice(1));
  expect(versions.v8).not.toBe(process.versions.v8);
  // The symbols of ICU end with its version.
  const symbol = /u_setMemoryFunctions_(\d+)/.exec(
    readFileSync(new URL('../../crates/engine/src/memory/allocator.rs', import.meta.url), 'utf8'),
  );
  expect(versions.icu).toMatch(new RegExp(`^${symbol[1]}\\.\\d+$`));
});

test('a session whose head has neither V8 nor ICU is replayed, or refused by name', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store });
  await session.run('let n = 41');
  await session.cleanup();
  const { versions } = await headOf(store);
  const named = `"v8":"${versions.v8}","icu":"${versions.icu}",`;
  // As many bytes, because the frame has its length.
  const { copy, count } = await replaced(store, Buffer.from(named), Buffer.from(' '.repeat(named.length)));
  expect(count).toBe(1);
  const refused = await rejection(openSession('s', { store: copy, onEngineChange: 'refuse' }));
  expect(refused).toMatchObject({
    code: 'ERR_REPLAY_ENGINE',
    details: { name: 'v8', expected: undefined, actual: versions.v8 },
  });
  const again = await openSession('s', { store: copy });
  expect((await again.run('n + 1')).output).toBe(42);
});

test('a tool with another name is missing, until the host has the old name too', async () => {
  const store = memoryStore();
  const tools = { pay: async (n) => n, Db: { get: (key) => `got ${key}` } };
  const session = await openSession('s', { store, tools });
  await session.run('const kept = pay; const paid = await kept(5); const value = Db.get("a")');
  await session.cleanup();
  const renamed = { charge: tools.pay, Db: { read: tools.Db.get } };
  const error = await rejection(openSession('s', { store, tools: renamed }));
  expect(error.code).toBe('ERR_REPLAY_ENGINE');
  expect(error.details).toMatchObject({ name: 'tools', expected: ['pay', 'Db.get'] });
  const both = { ...renamed, pay: tools.pay, Db: { ...renamed.Db, ...tools.Db } };
  const again = await openSession('s', { store, tools: both });
  const { output } = await again.run('[paid, value, await kept(6), await charge(7), Db.get("b"), Db.read("c")]');
  expect(output).toStrictEqual([5, 'got a', 6, 7, 'got b', 'got c']);
});
