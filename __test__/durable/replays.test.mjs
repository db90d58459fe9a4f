// Others can cause replays: each has a limit of time, and an owner a limit of how many run at the same time.

import { expect, test } from 'vitest';

import { durable, memoryStore } from 'ses-executor/durable';
import { deferred, rejection } from '../helpers.mjs';
import { all, openSession, storeOf } from './helpers.mjs';

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

test('further replays of an owner wait until one has ended, and those of others do not wait', async () => {
  const settled = [];
  const options = { ...(await endless()), replayTimeoutMs: 1_500 };
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

test('at most four replays of an owner run at the same time, whatever causes them', async () => {
  let [running, most] = [0, 0];
  const gates = [];
  const token = durable(
    async () => {
      running++;
      most = Math.max(most, running);
      const gate = deferred();
      gates.push(gate);
      await gate.promise;
      running--;
      return 'token';
    },
    { record: 'nothing' },
  );
  const options = { tools: { token }, executor: { owner: 'tenant' } };
  const store = memoryStore();
  const session = await openSession('s', { ...options, store });
  const begun = session.run('await token(); 1');
  await expect.poll(() => gates.length).toBe(1);
  gates.shift().resolve();
  await begun;
  const entries = await all(store.read('s'));

  // A replay calls the tool in its turn, before it needs a processor.
  let forks = 0;
  const causes = [
    () => openSession('s', { ...options, store: storeOf(entries) }),
    () => session.replayTo({ run: 1 }),
    () => session.fork(`fork-${forks++}`),
  ];
  const made = Array.from({ length: 12 }, (_, at) => causes[at % causes.length]());
  for (let ended = 0; ended < made.length; ended++) {
    await expect.poll(() => gates.length).toBeGreaterThanOrEqual(Math.min(4, made.length - ended));
    expect(running).toBeLessThanOrEqual(4);
    gates.shift().resolve();
  }
  for (const opened of await Promise.all(made)) await opened.cleanup();
  expect([most, running]).toStrictEqual([4, 0]);
});

test.each([0, 1.5, 2 ** 31, '1'])('replayTimeoutMs: %o is refused', async (replayTimeoutMs) => {
  expect(await rejection(openSession('s', { replayTimeoutMs }))).toBeInstanceOf(RangeError);
});
