// Reading a journal leaves the event loop to others, however large its values are.

import { createRequire } from 'node:module';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { planOf } from 'ses-executor/code-tool';
import { DurableSession, journalConflict, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession } from './helpers.mjs';

const require = createRequire(import.meta.url);
const { NativeJournal } = require('../../native.cjs');
const clock = require('../../build/contract/clock.js');

const LARGE = 'x'.repeat(1 << 20);
const COUNT = 24;
const tools = { large: async () => LARGE, ask: async () => waitForAnswer() };
const CODE = `for (let n = 0; n < ${COUNT}; n++) await large(n); await ask(); await ask()`;
const options = (store = memoryStore()) => ({
  store,
  tools,
  maxJournalBytes: 1 << 28,
  executor: { memoryLimitMb: 256, maxTransferBytes: 4 << 20 },
});

/** Counts the turns of the event loop that begin while the test is under way. */
function countTurns() {
  const count = { turns: 0 };
  let next;
  const turn = () => {
    count.turns++;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  onTestFinished(() => clearImmediate(next));
  return count;
}

/** Calls `work` around a method of the native journals. */
function around(name, work) {
  const original = NativeJournal.prototype[name];
  const spy = vi.spyOn(NativeJournal.prototype, name).mockImplementation(function (...args) {
    return work(() => original.apply(this, args));
  });
  onTestFinished(() => spy.mockRestore());
}

/** A store with the session `s`, which waits for its first answer after many large results. */
async function storeThatWaits(runOptions) {
  const store = memoryStore();
  const session = await DurableSession.open('s', options(store));
  expect((await session.start(CODE, runOptions)).status).toBe('waiting');
  await session.cleanup();
  return store;
}

describe('a journal with large values', () => {
  // All entries were checked in one call on the host's thread.
  test('is checked while others have their turns', async () => {
    const store = await storeThatWaits();
    const count = countTurns();
    const during = [];
    around('load', async (load) => {
      const before = count.turns;
      const content = await load();
      during.push(count.turns - before);
      return content;
    });
    const session = await openSession('s', options(store));
    expect([session.state, session.waiting.length]).toStrictEqual(['WAITING', 1]);
    const fork = session.fork('t');
    onTestFinished(async () => (await fork).cleanup());
    expect((await fork).state).toBe('WAITING');
    expect(during.length).toBeGreaterThan(1);
    expect(Math.min(...during)).toBeGreaterThan(0);
  });

  // A store in memory gives all entries in one turn, and so did the history.
  test('has a history whose entries are read in separate turns if each takes 10 ms', async () => {
    const session = new DurableSession('s', options(await storeThatWaits()), {});
    let now = 0;
    const spy = vi.spyOn(clock.performance, 'now').mockImplementation(() => (now += 10));
    onTestFinished(() => spy.mockRestore());
    const count = countTurns();
    const turns = new Set();
    around('entry', (entry) => {
      turns.add(count.turns);
      return entry();
    });
    const entries = await all(session.history());
    expect(entries.filter(({ type }) => type === 'answers')).toHaveLength(COUNT);
    expect(turns.size).toBeGreaterThanOrEqual(entries.length);
  });

  // Finding the plan of the run converted every entry.
  test('is not converted to find the plan and the calls of a run', async () => {
    const plan = planOf(CODE, { tools: { large: { execute() {} }, ask: { execute() {} } } });
    const session = await openSession('s', options(await storeThatWaits({ plan })));
    const types = new Set();
    around('entry', (entry) => {
      const read = entry();
      types.add(read?.type);
      return read;
    });
    const answer = (call) => session.answer({ [`s/1/${COUNT + call}`]: { result: call } });
    expect((await answer(1)).status).toBe('waiting');
    expect((await answer(2)).output.output).toBe(2);
    expect([...types].sort()).toStrictEqual(['call', 'head', 'note']);
  });
});

describe('calls while the run pauses', () => {
  // Both the call that found the isolate gone and the answer wanted to claim the session.
  test('an answer waits for the session that another call rebuilds', async () => {
    let isClaimed = false;
    const inner = memoryStore();
    const store = {
      isInMemory: true,
      read: (...args) => inner.read(...args),
      append: (...args) => inner.append(...args),
      list: () => inner.list(),
      remove: (id) => inner.remove(id),
      lock: async () => {
        await new Promise(setImmediate);
        if (isClaimed) throw journalConflict('the session is open');
        isClaimed = true;
        return () => void (isClaimed = false);
      },
    };
    const session = await openSession('s', { store, tools });
    const running = session.start('await ask()');
    const refused = [];
    let hasStarted = false;
    const started = running.finally(() => (hasStarted = true));
    while (!hasStarted) {
      refused.push(rejection(session.run('1')));
      await new Promise(setImmediate);
    }
    expect((await started).status).toBe('waiting');
    expect((await session.answer({ 's/1/1': { result: 5 } })).output.output).toBe(5);
    const codes = new Set((await Promise.all(refused)).map(({ code }) => code));
    expect([...codes].every((code) => ['ERR_INVALID_STATE', 'ERR_RUN_WAITING'].includes(code))).toBe(true);
  });
});
