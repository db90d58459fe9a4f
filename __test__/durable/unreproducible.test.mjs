// Two inputs of code are not in the journal: where the stack ends, and which bits a NaN has. Both depend on when V8
// compiles a function. A replay that finds others says so, with both values. The journals here have no key, so that a
// test can change them.

import { expect, test } from 'vitest';

import { rejection } from '../helpers.mjs';
import { all, openSession, storeOf, untouchable } from './helpers.mjs';

const DEPTH = `
let depth = 0;
const down = () => { depth++; down(/*         */); };
try { down(); } catch (error) { console.log(error.name); }
await tell(depth);`;
const BITS = `
const floats = new Float64Array([0, NaN, 0 / 0, Infinity - Infinity]);
const bits = new BigUint64Array(floats.buffer);
bits[0] = 0x7ff8000000000123n;
floats[3] = floats[0];
await tell(Array.from(bits, (word) => word.toString(16)));`;
/** Becomes machine code while it runs, which makes other NaNs. */
const HOT_BITS = `
const floats = new Float64Array(1);
const bits = new BigUint64Array(floats.buffer);
const divide = (a, b) => a / b;
let signs = 0;
for (let i = 0; i < 400_000; i++) {
  floats[0] = divide(i % 1, 0 * i);
  signs += Number(bits[0] >> 63n);
}
await tell(signs);`;
const executor = { maxOperations: 1e7 };

/** The entries of a session that has executed `code`, and what it has told. */
async function recorded(code, isolation = 'thread') {
  const told = [];
  const store = storeOf([]);
  const tools = { tell: async (value) => void told.push(value) };
  const session = await openSession('s', { store, tools, executor: { ...executor, isolation } });
  await session.run(code);
  await session.cleanup();
  expect(told).toHaveLength(1);
  return { entries: await all(store.read('s')), told: told[0] };
}

const reopen = (entries, isolation = 'thread') =>
  openSession('s', {
    store: storeOf(entries),
    tools: untouchable({ tell: async () => {} }),
    executor: { ...executor, isolation },
  });

/** The same entries, with `after` instead of `before`, which has as many bytes. */
const changed = (entries, before, after) =>
  entries.map((entry) => Buffer.from(Buffer.from(entry).toString('latin1').replace(before, after), 'latin1'));

const isCall = (entry) => entry[5] === 0x85;

/** What a replay reports that gives `tell` another value. */
const divergence = (entries, expected, actual) => ({
  run: 1,
  cause: 'call',
  entry: entries.findIndex(isCall),
  expected: { type: 'call', name: 'tell', args: [expected] },
  actual: { type: 'call', name: 'tell', args: [actual] },
});

test('a stack that ends earlier is reported with both depths', async () => {
  const { entries, told } = await recorded(DEPTH);
  // Each call takes more of the stack.
  const larger = changed(entries, 'down(/*         */)', 'down(1, 2, 3, 4, 5)');
  const error = await rejection(reopen(larger));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  const [actual] = error.details.actual.args;
  expect(error.details).toStrictEqual(divergence(entries, told, actual));
  expect(actual).toBeLessThan(told);
});

test('other bits of a NaN are reported with both values', async () => {
  const { entries, told } = await recorded(BITS);
  expect(told[0]).toBe('7ff8000000000123');
  const error = await rejection(reopen(changed(entries, '7ff8000000000123n', '7ff8000000000456n')));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  const actual = told.map((word) => word.replace('123', '456'));
  expect(error.details).toStrictEqual(divergence(entries, told, actual));
});

test.each(['thread', 'process'])(
  'bits of NaNs of code that is not compiled are replayed from a thread on a %s',
  async (to) => {
    const { entries, told } = await recorded(BITS);
    const session = await reopen(entries, to);
    expect((await session.run('Array.from(bits, (word) => word.toString(16))')).output).toStrictEqual(told);
  },
);

test.each([
  ['the end of the stack', DEPTH],
  ['bits of NaNs of compiled code', HOT_BITS],
])('%s: a replay is the same or reports both values', async (_, code) => {
  for (const [from, to] of [
    ['thread', 'process'],
    ['process', 'thread'],
    ['thread', 'thread'],
  ]) {
    const { entries, told } = await recorded(code, from);
    const result = await reopen(entries, to).catch((error) => error);
    const name = code === DEPTH ? 'depth' : 'signs';
    if (!(result instanceof Error)) {
      expect((await result.run(name)).output).toBe(told);
      continue;
    }
    expect(result.code).toBe('ERR_REPLAY_DIVERGED');
    const [actual] = result.details.actual.args;
    expect(actual).not.toBe(told);
    expect(result.details).toStrictEqual(divergence(entries, told, actual));
  }
});
