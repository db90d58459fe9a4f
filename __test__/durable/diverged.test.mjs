// A replay that does not do what the journal says. The journals here have no key, so that a test can change their
// entries.

import { expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession, storeOf, untouchable } from './helpers.mjs';

const tools = { add: async (a, b) => a + b };

/** A store with a session whose entries have `after` instead of `before`, which has as many bytes, in one entry. */
async function changed(before, after, number) {
  const whole = memoryStore();
  const session = await openSession('s', { store: whole, tools });
  await session.run(
    'let n = 1; console.log("logged", n); const sum = await add(n, 2); /*                      */ sum + 40',
  );
  await session.cleanup();
  const entries = (await all(whole.read('s'))).map((entry) => Buffer.from(entry));
  const store = memoryStore();
  store.append(
    's',
    0,
    entries.map((entry, at) =>
      at === number ? Buffer.from(entry.toString('latin1').replace(before, after), 'latin1') : entry,
    ),
  );
  return store;
}

/** The number of the first entry of a type. */
async function numberOf(type) {
  const session = await openSession('s', { store: await changed('', '', -1), tools: untouchable(tools) });
  for await (const entry of session.history()) if (entry.run === 1 && entry.type === type) return entry.number;
  throw new Error(`there is no ${type}`);
}

test.each([
  [
    'log',
    'logged 1',
    'logged 9',
    { expected: { level: 'log', message: 'logged 9' }, actual: { level: 'log', message: 'logged 1' } },
  ],
])('an entry of type %s that differs is named with both values', async (type, before, after, values) => {
  const number = await numberOf(type);
  const store = await changed(before, after, number);
  const error = await rejection(openSession('s', { store, tools: untouchable(tools) }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  expect(error.details).toStrictEqual({
    run: 1,
    cause: type,
    entry: number,
    expected: { type, ...values.expected },
    actual: { type, ...values.actual },
  });
});

test('a program that differs is detected at its first effect', async () => {
  const [run, log] = [await numberOf('run'), await numberOf('log')];
  const store = await changed('n = 1', 'n = 5', run);
  const error = await rejection(openSession('s', { store, tools: untouchable(tools) }));
  expect(error.details).toMatchObject({ cause: 'log', entry: log, actual: { message: 'logged 5' } });
});

test('a call with other arguments, and another result, are detected', async () => {
  const [run, call, end] = [await numberOf('run'), await numberOf('call'), await numberOf('end')];
  const other = await rejection(
    openSession('s', { store: await changed('add(n, 2)', 'add(n, 7)', run), tools: untouchable(tools) }),
  );
  expect(other.details).toStrictEqual({
    run: 1,
    cause: 'call',
    entry: call,
    expected: { type: 'call', name: 'add', args: [1, 2] },
    actual: { type: 'call', name: 'add', args: [1, 7] },
  });
  const result = await rejection(
    openSession('s', { store: await changed('sum + 40', 'sum + 50', run), tools: untouchable(tools) }),
  );
  expect(result.details).toStrictEqual({
    run: 1,
    cause: 'outcome',
    entry: end,
    expected: { type: 'end', output: 43 },
    actual: { type: 'end', output: 53 },
  });
});

/** The session of a store in which the first log entry and the first call have exchanged their places. */
async function withOtherOrder(store) {
  const entries = await all(store.read('s'));
  const session = await openSession('s', { store, tools: untouchable({ ...tools, ask: async () => {} }) });
  const history = (await all(session.history())).filter(({ run }) => run === 1);
  await session.cleanup();
  const [log, call] = ['log', 'call'].map((type) => history.find((entry) => entry.type === type).number);
  [entries[log], entries[call]] = [entries[call], entries[log]];
  return { store: storeOf(entries), first: Math.min(log, call) };
}

test.each([
  [
    'before',
    'console.log("hi"); await add(1, 2)',
    { cause: 'log', expected: { type: 'call', name: 'add' }, actual: { type: 'log', message: 'hi' } },
  ],
  [
    'after',
    'const sum = add(1, 2); console.log("hi"); await sum',
    { cause: 'call', expected: { type: 'log', message: 'hi' }, actual: { type: 'call', name: 'add' } },
  ],
])(
  'a log entry that the program writes %s the call of a tool must be there in the journal too',
  async (_, code, details) => {
    const whole = memoryStore();
    const session = await openSession('s', { store: whole, tools });
    await session.run(code);
    await session.cleanup();
    const { store, first } = await withOtherOrder(whole);
    const error = await rejection(openSession('s', { store, tools: untouchable(tools) }));
    expect(error.code).toBe('ERR_REPLAY_DIVERGED');
    expect(error.details).toMatchObject({ run: 1, entry: first, ...details });
  },
);

test('a run that continues must log on the same side of a call as before', async () => {
  const whole = memoryStore();
  const asking = { ...tools, ask: async () => waitForAnswer() };
  const session = await openSession('s', { store: whole, tools: asking });
  await session.start('console.log("hi"); await ask()');
  await session.cleanup();
  const { store, first } = await withOtherOrder(whole);
  const again = await openSession('s', { store, tools: untouchable(asking) });
  const error = await rejection(again.answer({ 's/1/1': { result: 1 } }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  expect(error.details).toMatchObject({
    cause: 'log',
    entry: first,
    expected: { type: 'call', name: 'ask' },
    actual: { message: 'hi' },
  });
});

test('a program that waits for something that the journal does not have is detected', async () => {
  const [run, end] = [await numberOf('run'), await numberOf('end')];
  const store = await changed('/*                      */', 'await new Promise(()=> 0);', run);
  const error = await rejection(openSession('s', { store, tools: untouchable(tools) }));
  expect(error.details).toStrictEqual({
    run: 1,
    cause: 'stuck',
    entry: end,
    expected: { type: 'end', output: 43 },
    actual: undefined,
  });
});

test('a program that waits before a call that the journal has an answer to is detected', async () => {
  const [run, call] = [await numberOf('run'), await numberOf('call')];
  const store = await changed(
    'const sum = await add(n, 2); /*                      */',
    'await new Promise(()=> 0); const sum = await add(n, 2);',
    run,
  );
  const error = await rejection(openSession('s', { store, tools: untouchable(tools), replayTimeoutMs: 20_000 }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  expect(error.details).toStrictEqual({
    run: 1,
    cause: 'stuck',
    entry: call,
    expected: { type: 'call', name: 'add', args: [1, 2] },
    actual: undefined,
  });
});

test('a run that continues and differs ends with the error, and the session is DEAD', async () => {
  const whole = memoryStore();
  const asking = { ...tools, ask: async () => waitForAnswer() };
  const session = await openSession('s', { store: whole, tools: asking });
  await session.start('console.log("before"); const reply = await ask(); reply');
  await session.cleanup();
  const store = memoryStore();
  store.append(
    's',
    0,
    (await all(whole.read('s'))).map((entry) =>
      Buffer.from(Buffer.from(entry).toString('latin1').replace('log("before")', 'log("behind")'), 'latin1'),
    ),
  );
  const again = await openSession('s', { store, tools: untouchable(asking) });
  const error = await rejection(again.answer({ 's/1/1': { result: 1 } }));
  expect(error.code).toBe('ERR_REPLAY_DIVERGED');
  expect(error.details).toMatchObject({ cause: 'log', expected: { message: 'before' }, actual: { message: 'behind' } });
});
