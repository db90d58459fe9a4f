// When entries have to survive a loss of power, and when they are stored.

import { expect, test } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { expectCode } from '../helpers.mjs';
import { all, openSession, storeThatAppends } from './helpers.mjs';

const tools = { add: async (n) => n + 1, now: (n) => n + 1, ask: async () => waitForAnswer() };

/** The kind of the frame of an entry with answers of tools, after the mark of the entry and the length of the frame. */
const hasAnswers = (entry) => entry[5] === 0x05;

// How many entries come together depends on how fast the guest is.
test.each([
  [undefined, ({ entries, isLast }) => isLast || entries.some(hasAnswers)],
  ['turn', ({ entries, isLast }) => isLast || entries.some(hasAnswers)],
  ['call', () => true],
  ['run', ({ isLast }) => isLast],
])('with durability %s, the store is told which entries must survive', async (durability, mustSurvive) => {
  const inner = memoryStore();
  let appends = [];
  const store = storeThatAppends(inner, (id, after, entries, { sync }) => {
    appends.push({ entries, sync });
    return inner.append(id, after, entries);
  });
  const session = await openSession('s', { store, tools, durability });
  appends = [];
  await session.run('await add(1); await add(2); now(3)');
  expect(appends.flatMap(({ entries }) => entries.filter(hasAnswers))).toHaveLength(3);
  const expected = appends.map(({ entries }, at) => mustSurvive({ entries, isLast: at === appends.length - 1 }));
  expect(appends.map(({ sync }) => sync)).toStrictEqual(expected);
});

test('every entry is stored before a call of the session settles', async () => {
  const inner = memoryStore();
  let pending = 0;
  // Entries reach the store long after it was asked.
  const store = storeThatAppends(inner, async (...args) => {
    pending++;
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    const count = inner.append(...args);
    pending--;
    return count;
  });
  const session = await openSession('s', { store, tools });
  const stored = async () => [pending, (await all(session.history())).at(-1).type];
  await session.run('await add(1)');
  expect(await stored()).toStrictEqual([0, 'end']);
  await expectCode(session.run('await add(1); throw new Error("x")'), 'ERR_RUNTIME_EXCEPTION');
  expect(await stored()).toStrictEqual([0, 'end']);
  const lost = session.run('await add(1); for (;;);', { timeoutMs: 200, maxOperations: Infinity });
  await expectCode(lost, 'ERR_EXEC_TIMEOUT');
  expect(await stored()).toStrictEqual([0, 'lost']);
  const { calls } = await session.start('await add(1); await ask()');
  expect(await stored()).toStrictEqual([0, 'note']);
  await session.answer({ [calls[0].key]: { result: 1 } });
  expect(await stored()).toStrictEqual([0, 'end']);
  await session.sendVariables({ z: 1 });
  expect(await stored()).toStrictEqual([0, 'end']);
});
