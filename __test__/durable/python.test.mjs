// Sessions of Python that are opened again, that wait, and that are lost.

import { expect, onTestFinished, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { inFolder, openSession, temporaryFolder, untouchable } from './helpers.mjs';

const TOOLS = {
  double: async (n) => n * 2,
  now: (n) => n + 1,
};
const FIRST = `
import random, time, uuid, asyncio, secrets
class Account:
    def __init__(self): self.balance = 10
    def add(self, n):
        self.balance += n
        return self.balance
account = Account()
def counting():
    i = 0
    while True:
        yield i
        i += 1
numbers = counting()
next(numbers)
names = {"fig", "pear", "plum", "apple", "quince"}
drawn = [random.random(), str(uuid.uuid4()), secrets.token_hex(4), time.time()]
account.add(double(4))
now(1)`;
const PROBE = `[account.add(1), next(numbers), list(names), drawn, random.random(), secrets.token_hex(4), hash("text"), id(account)]`;

test.each([
  ['thread', 'thread'],
  ['thread', 'process'],
])('a session of a %s continues in a %s', { timeout: 120_000 }, async (from, to) => {
  const store = memoryStore();
  const executor = (isolation) => ({ isolation, authorized_imports: ['*'] });
  const first = await openSession('s', { store, engine: 'python', tools: TOOLS, executor: executor(from) });
  expect((await first.run(FIRST)).output).toBe(2);
  const fork = await first.fork('f', { seed: 'same' });
  await first.cleanup();
  const expected = (await fork.run(PROBE)).output;
  await fork.cleanup();
  expect(expected.slice(0, 2)).toStrictEqual([19, 1]);

  const again = await openSession('s', { store, tools: untouchable(TOOLS), executor: { isolation: to } });
  expect(again.language).toBe('python');
  expect((await again.run(PROBE)).output).toStrictEqual(expected);
});

test('a program of Python waits, and continues in another session object', { timeout: 120_000 }, async () => {
  const options = {
    ...inFolder(),
    engine: 'python',
    tools: { ...TOOLS, ask: async (text) => waitForAnswer({ text }) },
  };
  const first = await openSession('s', options);
  const { calls } = await first.start('before = double(1)\nreply = ask("pay?")\n[before, reply, now(1)]');
  expect(calls).toMatchObject([{ key: 's/1/2', name: 'ask', args: ['pay?'], payload: { text: 'pay?' } }]);
  await first.cleanup();
  const again = await openSession('s', options);
  expect(again.state).toBe('WAITING');
  const { output } = await again.answer({ 's/1/2': { result: 'yes' } });
  expect(output.output).toStrictEqual([2, 'yes', 2]);
});

test('details of failed calls of Python are the same in another session object', { timeout: 120_000 }, async () => {
  const options = { store: memoryStore(), engine: 'python' };
  const fails = async () => {
    const cause = Object.assign(new Error('why'), { code: 'E_WHY' });
    throw Object.assign(new AggregateError([cause], 'all', { cause }), { status: 503, data: { tries: 3 } });
  };
  const first = await openSession('s', { ...options, tools: { fails } });
  await first.run('try: fails()\nexcept ToolError as e: error = e');
  await first.cleanup();
  const again = await openSession('s', { ...options, tools: untouchable({ fails }) });
  const { output } = await again.run(
    '[str(error), str(error.__cause__), error.__cause__.code, [str(each) for each in error.exceptions], error.status, error.data.tries]',
  );
  expect(output).toStrictEqual(['AggregateError: all', 'why', 'E_WHY', ['why'], 503, 3]);
});

test('a run of Python that is lost is undone', { timeout: 120_000 }, async () => {
  const session = await openSession('s', {
    engine: 'python',
    tools: TOOLS,
    executor: { max_operations: Infinity, max_while_iterations: Infinity },
  });
  await session.run('n = 1');
  const error = await rejection(session.run('n = 2\ndouble(1)\nwhile True: n += 0', { timeoutMs: 1_000 }));
  expect(error.details).toMatchObject({ stateLost: false, lostCalls: [{ key: 's/2/1', name: 'double' }] });
  expect((await session.run('n')).output).toBe(1);
});

test(
  'a warning says that files of a folder are not part of the journal, unless they are read-only',
  { timeout: 120_000 },
  async () => {
    const warned = [];
    const note = ({ code }) => warned.push(code);
    process.on('warning', note);
    onTestFinished(() => process.off('warning', note));
    const workDir = temporaryFolder();
    const open = (id, executor) => openSession(id, { engine: 'python', executor });
    for (const [id, executor] of Object.entries({ a: {}, b: { workDir, readOnly: true }, c: { workDir } })) {
      await open(id, executor);
      await new Promise(setImmediate);
      expect(warned, id).toStrictEqual(id === 'c' ? ['SES_EXECUTOR_FILES'] : []);
    }
  },
);
