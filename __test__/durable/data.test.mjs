// A session that cannot be replayed any more begins again with the variables that are plain data.

import { expect, test } from 'vitest';

import { durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession, untouchable } from './helpers.mjs';

const STEPS = [
  'let n = 1; const list = [1, , 3]; var at = new Date(5); const map = new Map([["list", list]]); let nothing = null;',
  'const add = () => 1; class Point {} const point = new Point(); const fixed = Object.freeze({ z: Object.freeze([1]) });',
  'globalThis["a-b"] = 7n; const symbol = Symbol("x"); const own = { get x() { return 1; } }; let JSON = 3; const half = Object.freeze([[]]);',
  'n = await double(21); list.push(n);',
];
const tools = { double: async (n) => 2 * n };

/** A store with the session, in whose last run `before` was replaced by `after`, which has as many bytes. */
async function changed(before, after, steps = STEPS, more = {}) {
  const whole = memoryStore();
  const session = await openSession('s', { store: whole, tools, variables: { sent: { of: 'host' } }, ...more });
  for (const step of steps) await session.start(`${step}\nundefined`);
  await session.cleanup();
  const entries = (await all(whole.read('s'))).map((entry) => Buffer.from(entry).toString('latin1'));
  const store = memoryStore();
  const last = entries.findLastIndex((entry) => entry.includes(before));
  store.append(
    's',
    0,
    entries.map((entry, at) => Buffer.from(at === last ? entry.replace(before, after) : entry, 'latin1')),
  );
  return store;
}

const ALL = '[n, list, 1 in list, at, map.get("list") === list, nothing, fixed.z, globalThis["a-b"], sent]';

test('the plain variables from before the run that differs are available, and the others are named', async () => {
  const store = await changed('double(21)', 'double(22)');
  const safe = untouchable(tools);
  expect((await rejection(openSession('s', { store, tools: safe }))).code).toBe('ERR_REPLAY_DIVERGED');
  const session = await openSession('s', { store, tools: safe, from: 'data' });
  const { run, names, leftOut } = session.recovery;
  expect(run).toBe(3);
  expect([...names].sort()).toStrictEqual(['a-b', 'at', 'fixed', 'list', 'map', 'n', 'nothing', 'sent']);
  expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toStrictEqual({
    add: 'a function',
    Point: 'a function',
    point: 'an instance of a class',
    symbol: 'a symbol',
    own: 'an accessor',
    JSON: 'the name of a built-in',
    half: 'frozen',
  });
  const first = await session.run(ALL);
  expect(first.output).toStrictEqual([1, [1, , 3], false, new Date(5), true, null, [1], 7n, { of: 'host' }]); // eslint-disable-line no-sparse-arrays -- a hole
  expect(first.recovered).toBe(true);
  const second = await session.run('n++; list.push(4); delete globalThis.restored; typeof restored');
  expect([second.output, second.recovered]).toStrictEqual(['undefined', undefined]);
  expect((await rejection(session.run('list = 1'))).message).toContain('constant');
  expect((await rejection(session.run('fixed.z.push(1)'))).message).toContain('extensible');
});

test('the session continues from there: later opens replay it, and its numbers and history go on', async () => {
  const store = await changed('double(21)', 'double(22)');
  const session = await openSession('s', { store, tools, from: 'data' });
  expect((await session.run('n = await double(5); [n, Math.random()]')).output[0]).toBe(10);
  const random = (await session.run('Math.random()')).output;
  await session.cleanup();
  const again = await openSession('s', { store, tools: untouchable(tools) });
  expect(again.recovery.run).toBe(3);
  expect((await again.run('[n, list.length]')).output).toStrictEqual([10, 3]);
  const history = await all(again.history());
  expect(history.filter(({ type }) => type === 'call').map(({ key, name }) => [key, name])).toStrictEqual([
    ['s/4/1', 'double'],
    ['s/5/1', 'double'],
  ]);
  expect(history.filter(({ type }) => type === 'restart')).toHaveLength(1);
  // A view of the time before still works.
  const view = await again.replayTo({ run: 2 });
  expect((await view.run('[typeof add, n]')).output).toStrictEqual(['function', 1]);
  await view.cleanup();
  const fork = await again.fork('t', { seed: 'same', run: 5 });
  expect((await fork.run('Math.random()')).output).toBe(random);
  await fork.cleanup();
});

test('a tool that is missing, or whose result cannot be repeated, is not an obstacle', async () => {
  const secret = durable(async () => 'secret', { record: 'nothing' });
  const store = await changed('nowhere', 'nowhere', ['let n = 1;', 'const token = await secret();'], {
    tools: { secret },
  });
  expect((await rejection(openSession('s', { store, tools: {} }))).code).toBe('ERR_REPLAY_ENGINE');
  const session = await openSession('s', { store, tools: {}, from: 'data' });
  expect(session.recovery).toStrictEqual({
    run: 1,
    names: ['sent', 'n'],
    leftOut: [{ name: 'secret', reason: 'a tool' }],
  });
  expect((await session.run('[n, typeof secret]')).output).toStrictEqual([1, 'undefined']);
});

test('values whose names code cannot write are kept, too', async () => {
  const store = await changed('nowhere', 'nowhere', ['globalThis["a-b"] = Object.freeze({}); globalThis["c-d"] = [];']);
  const session = await openSession('s', { store, tools, from: 'data' });
  expect(session.recovery).toMatchObject({ names: ['sent', 'a-b', 'c-d'], leftOut: [] });
  expect((await session.run('["a-b", "c-d"].map((name) => Object.isFrozen(globalThis[name]))')).output).toStrictEqual([
    true,
    false,
  ]);
});

test('a run that waits is given up', async () => {
  const asking = { ask: async () => waitForAnswer() };
  const store = await changed('nowhere', 'nowhere', ['let n = 1;', 'n = await ask();'], { tools: asking });
  const session = await openSession('s', { store, tools: asking, from: 'data' });
  expect([session.state, session.recovery.run]).toStrictEqual(['READY', 1]);
  expect((await session.run('n')).output).toBe(1);
});

test('a session that differs from its beginning has no data, and a new one needs none', async () => {
  const store = await changed('let n = 1; c', 'let n = ;; c', STEPS.slice(0, 1));
  const session = await openSession('s', { store, tools, from: 'data' });
  expect(session.recovery).toMatchObject({ run: 0, names: ['sent'] });
  const fresh = await openSession('t', { store, tools, from: 'data' });
  expect(fresh.recovery).toBeUndefined();
});

const PYTHON = String.raw`
import math
n = 1
text, raw, big, half, none, yes = "ä\n", b"\x00\xff", 2**80, 0.1, None, True
shared = [1]
data = {"list": shared, ("a", 1): {1, 2}, 3: frozenset([(1, 2)]), "z": 1j, "nan": float("inf")}
shared.append(data)
pair = (shared, shared)
dir_, id, list, type, dict, str = 5, 1, 2, 3, 4, "s"
def add(): return n
class Point: pass
point = Point()
numbers = (i for i in [1])
fetched = fetch("a")
mixed = [1, point]`;
const PYTHON_ALL =
  '[n, text, raw.hex(), big == 2**80, half, none, yes, shared[1] is data, data["list"] is shared, pair[0] is shared, data[("a", 1)] == {1, 2}, (1, 2) in [*data[3]][0:1], data["z"].imag, data["nan"] > 1e308, dir_, id, list, type, dict, str, fetched.rows[0].name, sent.of]';

test('sessions of Python begin again with their plain variables', { timeout: 120_000 }, async () => {
  const store = memoryStore();
  const pythonTools = { fetch: async (key) => ({ rows: [{ name: key }] }) };
  const options = { store, engine: 'python', tools: pythonTools, variables: { sent: { of: 'host' } } };
  const first = await openSession('s', options);
  await first.run(PYTHON);
  const { output } = await first.run(PYTHON_ALL);
  await first.cleanup();
  const session = await openSession('s', { ...options, from: 'data', tools: untouchable(pythonTools) });
  const { run, names, leftOut } = session.recovery;
  const expected = 'n text raw big half none yes shared data pair dir_ id list type dict str fetched sent'.split(' ');
  expect([run, [...names].sort()]).toStrictEqual([2, expected.sort()]);
  expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toStrictEqual({
    math: "a value of type 'module'",
    add: "a value of type 'function'",
    Point: "a value of type 'type'",
    point: "a value of type 'Point'",
    numbers: "a value of type 'generator'",
    mixed: "a value of type 'Point'",
  });
  const again = await session.run(PYTHON_ALL);
  expect([again.output, again.recovered]).toStrictEqual([output, true]);
  expect(
    (await session.run('fetched.rows.append(1)\n[x for x in dir() if x.startswith("_ses")]')).output,
  ).toStrictEqual([]);
  await session.cleanup();
  const later = await openSession('s', { ...options, tools: untouchable(pythonTools) });
  expect((await later.run('[len(fetched.rows), n, pair[1] is shared]')).output).toStrictEqual([2, 1, true]);
});
