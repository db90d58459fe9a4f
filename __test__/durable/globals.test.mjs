// Timers, random numbers and requests of a durable session: a replay has the same ones, and waits for nothing.

import { expect, test } from 'vitest';

import { DurableSession, memoryStore, waitForAnswer } from '../../build/durable/index.js';
import { expectCode } from '../helpers.mjs';
import { serve } from '../http-server.mjs';

const ALL = ['timers', 'crypto', 'performance', 'abort'];
const SLEEP = 'const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));';

/** Runs programs in a session, reads it, opens it again, and reads it again. */
async function twice(programs, reading, { tools, ...executor } = {}) {
  const options = { store: memoryStore(), executor: { globals: ALL, ...executor }, tools };
  const session = await DurableSession.open('twice', options);
  for (const code of programs) await session.run(code);
  const before = (await session.run(reading)).output;
  await session.cleanup();
  const again = await DurableSession.open('twice', options);
  const after = (await again.run(reading)).output;
  await again.cleanup();
  return [before, after];
}

test('random numbers follow from the seed', async () => {
  const [before, after] = await twice(
    [
      'let ids = [crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]]',
      'ids.push(crypto.randomUUID())',
    ],
    '[...ids, Math.random()]',
  );
  expect(before[0]).not.toBe(before[2]);
  expect(after.slice(0, 3)).toStrictEqual(before.slice(0, 3));
});

test('two sessions with the same seed have the same random numbers, others do not', async () => {
  const first = async (seed) => {
    const session = await DurableSession.open('one', { store: memoryStore(), executor: { globals: ALL }, seed });
    const { output } = await session.run('crypto.randomUUID()');
    await session.cleanup();
    return output;
  };
  expect(await first('a')).toBe(await first('a'));
  expect(await first('a')).not.toBe(await first('b'));
  expect(await first()).not.toBe(await first());
});

test('a replay has the times and the order of timers and answers, and does not wait', async () => {
  const program = `${SLEEP}
    let order = [];
    const stamp = (name) => order.push([name, Date.now(), performance.now()]);
    const interval = setInterval(() => stamp('interval'), 7);
    await Promise.all([
      sleep(20).then(() => stamp('timer')),
      ask(5).then(() => stamp('call')),
      (async () => { for (let i = 0; i < 5; i++) { await sleep(3); stamp(i); } })(),
      ask(15).then(() => sleep(1)).then(() => stamp('both')),
    ]);
    clearInterval(interval);
    const signal = AbortSignal.timeout(5);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stamp(signal.reason.name);`;
  let calls = 0;
  const ask = async (ms) => {
    calls++;
    return new Promise((resolve) => setTimeout(resolve, ms));
  };
  const [before, after] = await twice(
    [program, `${SLEEP.replace('const', 'var')} await sleep(5); stamp('second')`],
    'order',
    {
      tools: { ask },
    },
  );
  expect(after).toStrictEqual(before);
  expect(before.map(([name]) => name)).toStrictEqual(
    expect.arrayContaining(['timer', 'call', 'both', 0, 4, 'TimeoutError', 'second']),
  );
  expect(calls).toBe(2);
});

test('a replay of a long wait is short', async () => {
  const options = { store: memoryStore(), executor: { globals: ALL, timeoutMs: 20_000 }, replayTimeoutMs: 900 };
  const session = await DurableSession.open('long', options);
  await session.run(`${SLEEP} await sleep(1_000); let waited = true`);
  await session.cleanup();
  const again = await DurableSession.open('long', options);
  expect((await again.run('waited')).output).toBe(true);
  await again.cleanup();
});

test('a program that waits for a person and whose timers have ended is paused, and continues elsewhere', async () => {
  const store = memoryStore();
  const options = { store, executor: { globals: ALL }, tools: { ask: async () => waitForAnswer() } };
  const session = await DurableSession.open('waits', options);
  const code = `${SLEEP}
    await sleep(5);
    const late = setTimeout(() => {}, 60_000);
    const asked = ask();
    clearTimeout(late);
    const answer = await asked;
    await sleep(5, answer + crypto.randomUUID().length)`;
  const error = await expectCode(session.run(code), 'ERR_RUN_WAITING');
  expect(error.details.calls.map(({ name }) => name)).toStrictEqual(['ask']);
  await session.cleanup();
  const again = await DurableSession.open('waits', options);
  const [{ key }] = again.waiting;
  expect(await again.answer({ [key]: { result: 'yes' } })).toMatchObject({
    status: 'finished',
    output: { output: 'yes36' },
  });
  await again.cleanup();
});

test('timers and requests do not count as lost calls', async () => {
  const session = await DurableSession.open('lost', {
    store: memoryStore(),
    executor: { globals: ALL, timeoutMs: 100 },
  });
  const error = await expectCode(session.run(`${SLEEP} await sleep(60_000)`), 'ERR_EXEC_TIMEOUT');
  expect(error.details.lostCalls).toStrictEqual([]);
  expect((await session.run(`${SLEEP} await sleep(1, 'on')`)).output).toBe('on');
  await session.cleanup();
});

test('the groups of a session stay, and its history names what they ask the host for', async () => {
  const store = memoryStore();
  const session = await DurableSession.open('same', { store, executor: { globals: ALL } });
  await session.run(`${SLEEP} await sleep(1)`);
  await session.cleanup();
  const again = await DurableSession.open('same', { store });
  expect((await again.run('typeof setTimeout')).output).toBe('function');
  const calls = [];
  for await (const entry of again.history()) if (entry.type === 'call') calls.push(entry.name);
  expect(calls).toStrictEqual(['wake']);
  await again.cleanup();
});

// P24.
test('a replay asks no server, and journals have no credentials', async () => {
  let requests = 0;
  const { url: api } = await serve((request, response) => {
    requests++;
    response.end(`hello ${request.headers.authorization}`);
  });
  const network = { allow: [api], headers: { [api]: { authorization: 'Bearer abcdefgh12345678' } } };
  const store = memoryStore();
  const options = { store, executor: { globals: ['fetch'], network } };
  const session = await DurableSession.open('asks', options);
  await session.run(`let text = await (await fetch('${api}/x')).text()`);
  await session.cleanup();
  const again = await DurableSession.open('asks', options);
  expect((await again.run('text')).output).toBe(`hello ${'*'.repeat(23)}`);
  expect(requests).toBe(1);
  const entries = [];
  for await (const entry of store.read('asks')) entries.push(entry);
  expect(entries.length).toBeGreaterThan(3);
  expect(Buffer.concat(entries).toString('latin1')).not.toContain('abcdefgh');
  await again.cleanup();
});
