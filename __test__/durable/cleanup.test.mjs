// `cleanup()` ends what is under way, at whatever point that waits for the store.

import { expect, test } from 'vitest';

import { durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { deferred, rejection } from '../helpers.mjs';
import { openSession } from './helpers.mjs';

/**
 * A store with locks. `holds` makes the next call of `lock` or `read` wait: `entered` settles then, `open()` lets it go
 * on.
 */
function heldStore() {
  const inner = memoryStore();
  const gates = new Map();
  const locked = new Set();
  const gate = async (name) => {
    const { entered, opened } = gates.get(name) ?? {};
    gates.delete(name);
    entered?.resolve();
    await opened?.promise;
  };
  const store = {
    isInMemory: true,
    append: (...args) => inner.append(...args),
    list: () => inner.list(),
    remove: (id) => inner.remove(id),
    async *read(...args) {
      await gate('read');
      yield* inner.read(...args);
    },
    async lock(id) {
      await gate('lock');
      expect(locked).not.toContain(id);
      locked.add(id);
      return () => void locked.delete(id);
    },
  };
  const holds = (name) => {
    const [entered, opened] = [deferred(), deferred()];
    gates.set(name, { entered, opened });
    return { entered: entered.promise, open: opened.resolve };
  };
  return { store, holds, locked };
}

/** A session whose run waits, and the calls of its tools. */
async function waiting() {
  const { store, holds, locked } = heldStore();
  const called = [];
  const pay = durable(async () => 'paid', { revert: () => void called.push('revert') });
  const tools = { pay, ask: async () => waitForAnswer(), act: async () => called.push('act') };
  const session = await openSession('s', { store, tools });
  await session.start('await pay(); const reply = await ask(); await act(); reply');
  return { session, holds, locked, called, again: () => openSession('s', { store, tools }) };
}

const ANSWERS = { 's/1/2': { result: 'yes' } };

test.each(['lock', 'read'])('an answer that waits for %s of the store ends, and calls no tool', async (name) => {
  const { session, holds, locked, called, again } = await waiting();
  const { entered, open } = holds(name);
  const answering = rejection(session.answer(ANSWERS));
  const next = rejection(session.answer(ANSWERS));
  await entered;
  let isClean = false;
  const cleaning = session.cleanup().then(() => (isClean = true));
  // Nothing else is under way.
  await new Promise(setImmediate);
  expect(isClean).toBe(false);
  open();
  await cleaning;
  expect([...locked, ...called]).toStrictEqual([]);
  const { code, details } = await answering;
  expect([code, details.state, (await next).code]).toStrictEqual(['ERR_INVALID_STATE', 'DEAD', 'ERR_INVALID_STATE']);
  expect(session.state).toBe('DEAD');
  const other = await again();
  expect(await other.answer(ANSWERS)).toMatchObject({ status: 'finished', output: { output: 'yes' } });
  expect(called).toStrictEqual(['act']);
});

test('an answer whose session is opened again meanwhile does not continue', async () => {
  const { session, holds, called } = await waiting();
  const { entered, open } = holds('read');
  const answering = rejection(session.answer(ANSWERS));
  await entered;
  const cleaning = session.cleanup();
  const opening = session.init();
  open();
  await Promise.all([cleaning, opening]);
  expect([(await answering).code, session.state, ...called]).toStrictEqual(['ERR_INVALID_STATE', 'WAITING']);
  expect(await session.answer(ANSWERS)).toMatchObject({ status: 'finished' });
});

test.each(['lock', 'read'])('a revert that waits for %s of the store ends, and reverts nothing', async (name) => {
  const { session, holds, locked, called, again } = await waiting();
  const { entered, open } = holds(name);
  const reverting = rejection(session.revert());
  await entered;
  const cleaning = session.cleanup();
  open();
  await cleaning;
  expect([...locked, ...called]).toStrictEqual([]);
  expect((await reverting).code).toBe('ERR_INVALID_STATE');
  expect((await again()).state).toBe('WAITING');
});

// The store refuses what the session still records. That ended all calls of the executor, and its cleanup with them.
test('a session that another process has continued meanwhile is cleaned up without an error', async () => {
  const store = memoryStore();
  const called = deferred();
  const optionsOf = (wait) => ({ store, inDoubt: 'repeat', tools: { wait } });
  const first = await openSession(
    's',
    optionsOf(() => (called.resolve(), deferred().promise)),
  );
  const running = rejection(first.run('await wait()'));
  await called.promise;
  const second = await openSession(
    's',
    optionsOf(() => 'waited'),
  );
  expect((await second.answer({})).output.output).toBe('waited');
  await first.cleanup();
  expect([first.state, (await running).code]).toStrictEqual(['DEAD', 'ERR_JOURNAL_CONFLICT']);
});
