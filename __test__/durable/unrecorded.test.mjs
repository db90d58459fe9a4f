// Tools whose results are not in the journal: a replay calls them again and compares the results.

import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { currentCall, durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { KEYS, all, inFolder, openSession, untouchable } from './helpers.mjs';

const SECRET = 'a secret of the vault';
const unrecorded = (fn) => durable(fn, { record: 'nothing' });

test.each([
  ['an asynchronous tool', unrecorded(async () => ({ token: SECRET })), '(await secret(7)).token'],
  ['a synchronous tool', unrecorded(() => ({ token: SECRET })), 'secret(7).token'],
  [
    'a synchronous tool that returns a promise',
    unrecorded(() => turn().then(() => ({ token: SECRET }))),
    '(await secret(7)).token',
  ],
])('%s is called again, and the journal does not have its result', async (_, secret, code) => {
  const shared = inFolder();
  const tools = { secret, add: async (a, b) => a + b };
  const session = await openSession('s', { ...shared, tools });
  await session.run(`const token = ${code}; let sum = await add(1, 2); undefined`);
  await session.run('sum += token.length; undefined');
  await session.cleanup();
  const text = (await all(shared.store.read('s'))).map((entry) => Buffer.from(entry).toString('latin1')).join('');
  expect(text).not.toContain(SECRET);
  const calls = [];
  const repeated = unrecorded(async (n) => {
    const { key, isReplay } = currentCall();
    calls.push([key, n, isReplay]);
    return { token: SECRET };
  });
  const again = await openSession('s', { ...shared, tools: { secret: repeated, ...untouchable({ add: tools.add }) } });
  expect(calls).toStrictEqual([['s/1/1', 7, true]]);
  expect((await again.run('[token, sum]')).output).toStrictEqual([SECRET, 3 + SECRET.length]);
  const answers = (await all(again.history())).filter(({ type }) => type === 'answers');
  expect(answers.filter(({ isWithheld }) => isWithheld).map(({ key }) => key)).toStrictEqual(['s/1/1']);
});

test.each([
  ['another result', async () => 'other'],
  ['an error', async () => Promise.reject(new Error('no'))],
  ['a call that waits', async () => waitForAnswer()],
])('%s fails with ERR_REPLAY_DIVERGED', async (_, other) => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools: { secret: unrecorded(async () => SECRET) } });
  await session.run('await secret(); undefined');
  await session.cleanup();
  const error = await rejection(openSession('s', { store, tools: { secret: unrecorded(other) } }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  expect(error.details).toMatchObject({ cause: 'answer', run: 1, key: 's/1/1', name: 'secret' });
  expect(JSON.stringify(error)).not.toContain(SECRET);
});

test.each([
  ['an ordinary tool', { secret: async () => SECRET }],
  ['no tool', undefined],
])('%s in its place is not called: ERR_REPLAY_ENGINE', async (_, tools) => {
  const store = memoryStore();
  const session = await openSession('s', { store, tools: { secret: unrecorded(async () => SECRET) } });
  await session.run('await secret(); undefined');
  await session.cleanup();
  const error = await rejection(openSession('s', { store, ...(tools && { tools: untouchable(tools) }) }));
  expect(error.code).toBe('ERR_REPLAY_ENGINE');
  expect(error.details).toMatchObject({ name: 'tools', expected: 'secret' });
});

test('errors of the tool and answers of people are recorded', async () => {
  const store = memoryStore();
  const secret = unrecorded(async (how) => {
    if (how === 'fail') throw new Error('no');
    return waitForAnswer();
  });
  const session = await openSession('s', { store, tools: { secret } });
  await session.start(
    'const failed = await secret("fail").catch((error) => error.message); const given = await secret()',
  );
  await session.answer({ 's/1/2': { result: 'given' } });
  await session.cleanup();
  const never = unrecorded(async () => {
    throw new Error('it was called');
  });
  const again = await openSession('s', { store, tools: { secret: never } });
  expect((await again.run('[failed, given]')).output).toStrictEqual(['no', 'given']);
});

test('a run that waits continues with the result of a call that is made again', async () => {
  const store = memoryStore();
  const calls = [];
  const tools = {
    secret: unrecorded(async () => (calls.push(currentCall().isReplay), SECRET)),
    ask: async () => waitForAnswer(),
  };
  const session = await openSession('s', { store, tools });
  await session.start('const token = await secret(); const reply = await ask(); [token, reply]');
  await session.cleanup();
  const again = await openSession('s', { store, tools });
  expect(calls).toStrictEqual([false]);
  const { output } = await again.answer({ 's/1/2': { result: 'yes' } });
  expect(output.output).toStrictEqual([SECRET, 'yes']);
  expect(calls).toStrictEqual([false, true]);
});

test('a fork, a view and a rotated key need the same result', async () => {
  const shared = inFolder();
  const tools = { secret: unrecorded(async () => SECRET) };
  const session = await openSession('s', { ...shared, tools });
  await session.run('const token = await secret(); undefined');
  await session.run('var n = 1');
  const fork = await session.fork('t', { run: 1 });
  expect((await fork.run('token')).output).toBe(SECRET);
  await fork.cleanup();
  const view = await session.replayTo({ run: 1 });
  expect((await view.run('token')).output).toBe(SECRET);
  await view.cleanup();
  await session.cleanup();
  const keys = { sign: 'another key', verify: [KEYS.sign] };
  const rotated = await openSession('s', { ...shared, keys, tools });
  expect((await rotated.run('token')).output).toBe(SECRET);
});

test('the policy of the host decides about the repeated call again', async () => {
  const store = memoryStore();
  const tools = { secret: unrecorded(async (n) => n) };
  const doubling = { onToolCall: ({ args: [n] }) => ({ args: [n * 2] }) };
  const session = await openSession('s', { store, tools, executor: doubling });
  expect((await session.run('await secret(4)')).output).toBe(8);
  await session.cleanup();
  const again = await openSession('s', { store, tools, executor: doubling });
  await again.cleanup();
  const error = await rejection(openSession('s', { store, tools }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
});

test('a value of record that does not exist is refused', () => {
  expect(() => durable(() => 1, { record: 'all' })).toThrow(TypeError);
});
