// Finished calls are undone, the last one first, each at most once: after a run that was lost, and when the host asks.

import { expect, test } from 'vitest';

import { currentCall, durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { blocking } from '../../index.mjs';
import { rejection } from '../helpers.mjs';
import { inFolder, openSession } from './helpers.mjs';

const LOST = 'await new Promise(() => {})';
const BRIEF = { timeoutMs: 200 };

/** Tools that can be reverted, and what was reverted. */
function revertible(fail = () => {}) {
  const reverted = [];
  const revert = async (args, result, key) => {
    reverted.push([args, result, key, currentCall().key]);
    await null;
    fail(args);
  };
  const tools = {
    pay: durable(async (n) => `paid ${n}`, { revert }),
    payNow: durable((n) => `paid ${n}`, { revert }),
    payBlocking: durable(
      blocking(async (n) => `paid ${n}`),
      { revert },
    ),
    search: async (n) => n,
    ask: durable(async () => waitForAnswer(), { revert }),
    fails: durable(async () => Promise.reject(new Error('no')), { revert }),
  };
  return { reverted, tools };
}

test('after a lost run, finished calls are reverted in reverse order, before run rejects', async () => {
  const { reverted, tools } = revertible();
  const session = await openSession('s', { tools });
  await session.run('await pay(0)');
  const error = await rejection(
    session.run(
      `await pay(1); payNow(2); await search(3); await fails().catch(() => {}); payBlocking(4); ${LOST}`,
      BRIEF,
    ),
  );
  expect(error.code).toBe('ERR_EXEC_TIMEOUT');
  expect(reverted).toStrictEqual([
    [[4], 'paid 4', 's/2/5', 's/2/5'],
    [[2], 'paid 2', 's/2/2', 's/2/2'],
    [[1], 'paid 1', 's/2/1', 's/2/1'],
  ]);
  expect(error.details.lostCalls).toStrictEqual([
    { key: 's/2/1', name: 'pay', revert: 'reverted' },
    { key: 's/2/2', name: 'payNow', revert: 'reverted' },
    { key: 's/2/3', name: 'search' },
    { key: 's/2/4', name: 'fails' },
    { key: 's/2/5', name: 'payBlocking', revert: 'reverted' },
  ]);
  expect(error.explanation).toContain('It had called `search`, `fails`, which may have taken effect.');
  expect(error.explanation).toContain('These calls were reverted: `pay`, `payNow`, `payBlocking`.');
  // Nothing is reverted twice, here or in another process.
  expect((await session.revert({ run: 2 })).map(({ status }) => status)).toStrictEqual([
    'reverted',
    'reverted',
    'reverted',
  ]);
  expect(reverted).toHaveLength(3);
});

test('the order is that in which the calls have finished', async () => {
  const { reverted, tools } = revertible();
  let finish;
  const slow = durable(() => new Promise((done) => (finish = done)), { revert: (args) => reverted.push(args) });
  const session = await openSession('s', { tools: { ...tools, slow } });
  const run = session.run('const later = slow(1); await pay(2); await later');
  await expect.poll(() => finish).toBeDefined();
  finish('done');
  await run;
  await session.revert();
  expect(reverted.map(([first]) => first)).toStrictEqual([1, [2]]);
});

test('a revert that fails does not prevent the others, and is not repeated', async () => {
  const { reverted, tools } = revertible(([n]) => {
    if (n === 2) throw new TypeError('too late');
  });
  const session = await openSession('s', { tools });
  const error = await rejection(session.run(`for (const n of [1, 2, 3]) await pay(n); ${LOST}`, BRIEF));
  const failed = { revert: 'failed', error: { name: 'TypeError', message: 'too late' } };
  expect(error.details.lostCalls).toMatchObject([{ revert: 'reverted' }, failed, { revert: 'reverted' }]);
  expect(error.explanation).toContain('It had called `pay`, which may have taken effect.');
  const again = await session.revert();
  expect(again.map(({ key, status }) => [key, status])).toStrictEqual([
    ['s/1/3', 'reverted'],
    ['s/1/2', 'failed'],
    ['s/1/1', 'reverted'],
  ]);
  expect(reverted).toHaveLength(3);
});

test('a run that waits is given up and reverted, and the next run finds the state before', async () => {
  const shared = inFolder();
  const { reverted, tools } = revertible();
  const session = await openSession('s', { ...shared, tools });
  await session.run('let n = 1');
  await session.start('n = 2; await pay(1); await ask(); await pay(2)');
  await session.cleanup();
  const again = await openSession('s', { ...shared, tools });
  expect(again.state).toBe('WAITING');
  expect(await again.revert()).toStrictEqual([{ key: 's/2/1', name: 'pay', status: 'reverted' }]);
  expect([again.state, again.waiting]).toStrictEqual(['READY', []]);
  expect(await again.answer({ 's/2/2': { result: 1 } })).toStrictEqual({ status: 'stale' });
  expect((await again.run('n')).output).toBe(1);
  expect(reverted.map(([args]) => args)).toStrictEqual([[1]]);
  await again.cleanup();
  const third = await openSession('s', { ...shared, tools });
  expect((await third.run('n')).output).toBe(1);
});

test('a run that has ended is reverted on request, and its variables stay', async () => {
  const { reverted, tools } = revertible();
  const session = await openSession('s', { tools });
  await rejection(session.run('let n = 1; await pay(1); throw new Error("no")'));
  await session.run('n = 2; await pay(2)');
  expect(await session.revert({ run: 1 })).toMatchObject([{ key: 's/1/1', status: 'reverted' }]);
  expect(reverted.map(([args]) => args)).toStrictEqual([[1]]);
  expect((await session.run('n')).output).toBe(2);
  await expect(session.revert({ run: 9 })).rejects.toThrow(RangeError);
});

test('what a person answered in place of a policy is not reverted, and what a tool began is', async () => {
  const { reverted, tools } = revertible();
  const onToolCall = ({ name }) => (name === 'pay' ? { wait: null } : undefined);
  const session = await openSession('s', { tools, executor: { onToolCall } });
  const { calls } = await session.start('[await pay(1), await ask(2)]');
  await session.answer({ [calls[0].key]: { result: 'not called' } });
  await session.answer({ 's/1/2': { result: 'called' } });
  expect((await session.revert()).map(({ key }) => key)).toStrictEqual(['s/1/2']);
  expect(reverted.map(([, result]) => result)).toStrictEqual(['called']);
});

test('a revert in which the session has ended is in doubt, and is not made again', async () => {
  const store = memoryStore();
  let begun;
  const never = durable(async () => 'paid', { revert: () => ((begun = true), new Promise(() => {})) });
  const session = await openSession('s', { store, tools: { never } });
  await session.run('await never()');
  const reverting = session.revert();
  await expect.poll(() => begun).toBe(true);
  await session.cleanup();
  expect(await reverting).toStrictEqual([{ key: 's/1/1', name: 'never', status: 'inDoubt' }]);
  const { reverted, tools } = revertible();
  const again = await openSession('s', { store, tools: { never: tools.pay } });
  expect(await again.revert()).toStrictEqual([{ key: 's/1/1', name: 'never', status: 'inDoubt' }]);
  expect(reverted).toStrictEqual([]);
});

test('without its function a call can be reverted later', async () => {
  const store = memoryStore();
  const { reverted, tools } = revertible();
  const session = await openSession('s', { store, tools });
  await session.run('await pay(1)');
  await session.cleanup();
  const without = await openSession('s', { store, tools: { ...tools, pay: async () => 1 } });
  expect(await without.revert()).toMatchObject([{ key: 's/1/1', status: 'failed' }]);
  await without.cleanup();
  const again = await openSession('s', { store, tools });
  expect(await again.revert()).toMatchObject([{ key: 's/1/1', status: 'reverted' }]);
  expect(reverted).toHaveLength(1);
});

test('a revert is refused while a run is under way, in a view, and of tools without effects', async () => {
  const { tools } = revertible();
  const session = await openSession('s', { tools });
  await session.run('await pay(1)');
  const view = await session.replayTo({ run: 1 });
  await expect(view.revert()).rejects.toThrow(TypeError);
  await view.cleanup();
  const running = rejection(session.run(LOST, BRIEF));
  expect(await rejection(session.revert())).toMatchObject({ code: 'ERR_INVALID_STATE' });
  await running;
  expect(() => durable(() => 1, { revert: 1 })).toThrow(TypeError);
  expect(() => durable(() => 1, { revert: () => {}, record: 'nothing' })).toThrow(TypeError);
});
