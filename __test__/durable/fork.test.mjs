// Forks, views of earlier states, and the history.

import { describe, expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { expectCode, rejection } from '../helpers.mjs';
import { all, inFolder, openSession, untouchable } from './helpers.mjs';

const tools = { add: async (n) => n + 1, ask: async (question) => waitForAnswer(question) };

test('a fork continues on its own, with other random numbers', async () => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools });
  await session.run('let n = await add(0); const drawn = Math.random()');
  const fork = await session.fork('f');
  await session.run('n = await add(n)');
  expect((await fork.run('n')).output).toBe(1);
  expect((await fork.run('n = 10 * await add(n)')).output).toBe(20);
  expect((await session.run('n')).output).toBe(2);
  expect((await fork.run('drawn')).output).toBe((await session.run('drawn')).output);
  expect((await fork.run('Math.random()')).output).not.toBe((await session.run('Math.random()')).output);
  await fork.cleanup();
  const again = await openSession('f', { store, tools: untouchable(tools) });
  expect((await again.run('n')).output).toBe(20);
});

test('the numbers of a fork are not those of its runs before the fork', async () => {
  const origin = await openSession('a');
  const drawn = [];
  for (let run = 0; run < 4; run++) drawn.push((await origin.run('Math.random()')).output);
  const fork = await origin.fork('b', { run: 3 });
  expect((await fork.run('Math.random()')).output).not.toBe(drawn[3]);
  const earlier = await fork.fork('c', { run: 1, seed: 'same' });
  expect((await earlier.run('Math.random()')).output).toBe(drawn[1]);
  for (const one of [origin, fork, earlier]) await one.cleanup();
});

test('with seed: "same", a fork draws the same numbers', async () => {
  const session = await openSession('s');
  await session.run('1');
  const fork = await session.fork('f', { seed: 'same' });
  expect((await fork.run('Math.random()')).output).toBe((await session.run('Math.random()')).output);
  await fork.cleanup();
});

test('a fork can begin after any run, and forks can be forked and opened again', async () => {
  const options = { ...inFolder(), tools };
  const session = await openSession('s', options);
  for (let n = 1; n <= 4; n++) await session.run(`var last = ${n}; last`);
  const second = await session.fork('second', { run: 2 });
  expect((await second.run('last')).output).toBe(2);
  await second.run('var own = "second"');
  const third = await second.fork('third');
  await second.cleanup();
  expect((await third.run('[last, own]')).output).toStrictEqual([2, 'second']);
  await third.cleanup();
  const again = await openSession('third', options);
  expect((await again.run('[last, own]')).output).toStrictEqual([2, 'second']);
  const none = await session.fork('none', { run: 0 });
  expect((await rejection(none.run('last'))).details.name).toBe('ReferenceError');
  await none.cleanup();
  expect(await rejection(session.fork('x', { run: 5 }))).toBeInstanceOf(RangeError);
  expect((await rejection(session.fork('second'))).code).toBe('ERR_JOURNAL_CONFLICT');
});

test('a fork of a run that waits can be answered differently', async () => {
  const session = await openSession('s', { tools });
  await session.start('const before = await add(1); const reply = await ask("which?"); [before, reply]');
  const fork = await session.fork('f');
  expect(fork.waiting).toMatchObject([{ key: 'f/1/2', payload: 'which?' }]);
  const [left, right] = [{ 's/1/2': { result: 'left' } }, { 'f/1/2': { result: 'right' } }];
  expect((await session.answer(left)).output.output).toStrictEqual([2, 'left']);
  expect((await fork.answer(right)).output.output).toStrictEqual([2, 'right']);
  await fork.cleanup();
});

describe('replayTo', () => {
  test('shows an earlier state, calls no tools and keeps nothing', async () => {
    const store = memoryStore();
    const session = await openSession('s', { store, tools });
    await session.run('var n = await add(0)');
    await session.run('n = await add(n)');
    const entries = (await all(store.read('s'))).length;
    const view = await session.replayTo({ run: 1 });
    expect((await view.run('n')).output).toBe(1);
    const { details } = await expectCode(view.run('await add(5)'), 'ERR_TOOL_PROXY_FAIL');
    expect(details).toMatchObject({ tool: 'add' });
    expect((await view.run('n = 7')).output).toBe(7);
    await view.cleanup();
    expect(await all(store.read('s'))).toHaveLength(entries);
    expect((await session.run('n')).output).toBe(2);
    const start = await session.replayTo({ run: 0 });
    expect((await start.run('typeof n')).output).toBe('undefined');
    await start.cleanup();
    expect(await rejection(session.replayTo({ run: 9 }))).toBeInstanceOf(RangeError);
  });
});
