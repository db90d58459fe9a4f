// Others can cause replays: each has a limit of time, and an owner a limit of how many run at the same time.

import { expect, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { all, openSession } from './helpers.mjs';

/** A session whose only run is short, and whose replay does not end. */
async function endless() {
  const whole = memoryStore();
  const executor = { maxOperations: Infinity };
  const session = await openSession('s', { store: whole, executor });
  await session.run('for (let i = 0; i < 9e0; i++); 1');
  await session.cleanup();
  const entries = await all(whole.read('s'));
  const store = memoryStore();
  // Without a key, a test can change the program.
  const changed = entries.map((entry) => Buffer.from(entry).toString('latin1').replace('i < 9e0', 'i < 9e9'));
  store.append(
    's',
    0,
    changed.map((entry) => Buffer.from(entry, 'latin1')),
  );
  return { store, executor: { ...executor, owner: 'tenant' } };
}

test('a replay that does not end fails with ERR_EXEC_TIMEOUT, and frees its isolate', async () => {
  const error = await rejection(openSession('s', { ...(await endless()), replayTimeoutMs: 200 }));
  expect(error.code).toBe('ERR_EXEC_TIMEOUT');
  expect(error.details).toStrictEqual({ timeoutMs: 200, reason: 'replay' });
});

test('more replays of an owner than may run wait for their turn, and those of others do not', async () => {
  const settled = [];
  const options = { ...(await endless()), replayTimeoutMs: 400 };
  const replays = [0, 1, 2, 3, 4].map((i) =>
    rejection(openSession('s', options)).then(({ code }) => settled.push([i, code])),
  );
  const store = memoryStore();
  const session = await openSession('s', { store });
  await session.run('let n = 1');
  await session.cleanup();
  const other = await openSession('s', { store, executor: { owner: 'another tenant' } });
  expect((await other.run('n')).output).toBe(1);
  const waiting = openSession('s', { store, executor: { owner: 'tenant' } }).then(() => settled.push('waited'));
  await Promise.all([...replays, waiting]);
  expect(
    settled
      .slice(0, 4)
      .map(([i, code]) => `${i} ${code}`)
      .sort(),
  ).toStrictEqual([0, 1, 2, 3].map((i) => `${i} ERR_EXEC_TIMEOUT`));
  expect(settled.slice(4)).toContain('waited');
  expect(settled.slice(4)).toContainEqual([4, 'ERR_EXEC_TIMEOUT']);
});

test.each([0, 1.5, 2 ** 31, '1'])('replayTimeoutMs: %o is refused', async (replayTimeoutMs) => {
  expect(await rejection(openSession('s', { replayTimeoutMs }))).toBeInstanceOf(RangeError);
});
