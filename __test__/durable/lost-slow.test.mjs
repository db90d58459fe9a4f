// A run is lost, and the next one begins before an asynchronous store has the loss.

import { expect, test } from 'vitest';

import { durable, memoryStore } from 'ses-executor/durable';
import { deferred, neverTool, rejection } from '../helpers.mjs';
import { openSession, storeThatAppends } from './helpers.mjs';

/** A store without promises, until `hold()`: later appends wait for the function that it returns. */
function heldStore() {
  const inner = memoryStore();
  let held;
  const store = storeThatAppends(inner, async (...args) => {
    await held?.promise;
    return inner.append(...args);
  });
  const hold = () => {
    held = deferred();
    return held.resolve;
  };
  return { store, hold };
}

/** @param revert of the tool that the lost run has called; undefined: the tool cannot be reverted */
async function lostAndNext(revert) {
  const { store, hold } = heldStore();
  const calls = [];
  const log = (entry) => void calls.push(entry);
  const book = async (n) => log(`book ${n}`);
  const never = neverTool();
  const tools = { book: revert === undefined ? book : durable(book, { revert: revert(log) }), never: never.tool };
  const session = await openSession('s', { store, tools });
  await session.run('let n = 1');
  const abort = new AbortController();
  const first = rejection(session.run('n = 2; await book(1); await never()', { signal: abort.signal }));
  await never.called;
  const open = hold();
  abort.abort();
  await expect.poll(() => session.state).toBe('READY');
  const others = Promise.allSettled([2, 3].map((at) => session.run(`await book(${at}); n`)));
  open();
  return { store, tools, session, calls, first: await first, others: await others };
}

test.each([
  [
    'are reverted',
    (log) =>
      async ([n]) =>
        log(`revert ${n}`),
  ],
  [
    'take long to be reverted',
    (log) =>
      async ([n]) => {
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        log(`revert ${n}`);
      },
  ],
  ['cannot be reverted', undefined],
])('calls that %s: the next run waits until the loss is stored', async (_, revert) => {
  const { store, tools, session, calls, first, others } = await lostAndNext(revert);
  const reverted = revert === undefined ? [] : ['revert 1'];
  const status = revert === undefined ? {} : { revert: 'reverted' };
  expect([first.code, first.details.lostCalls]).toStrictEqual([
    'ERR_EXEC_TIMEOUT',
    [
      { key: 's/2/1', name: 'book', ...status },
      { key: 's/2/2', name: 'never' },
    ],
  ]);
  // The second of them finds the first one at work.
  expect(others.map(({ value, reason }) => value?.output ?? reason.code)).toStrictEqual([1, 'ERR_INVALID_STATE']);
  expect([calls, session.state]).toStrictEqual([['book 1', ...reverted, 'book 2'], 'READY']);
  expect((await session.run('n')).output).toBe(1);
  await session.cleanup();
  const again = await openSession('s', { store, tools });
  expect((await again.run('n')).output).toBe(1);
});
