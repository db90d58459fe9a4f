// A reset begins a new journal with the same id. Its calls have other keys than those before: the key is the
// idempotency key of what a tool does, and a payment service that knows it would take a new payment for the old one.

import { expect, test } from 'vitest';

import { currentCall, durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createServed } from '../../build/adapters/mcp/server.js';
import { all, inFolder, openSession } from './helpers.mjs';

const REQUEST = { signal: new AbortController().signal, sendNotification: async () => {}, ask: async () => undefined };

function toolsWith(calls) {
  const noted = (name) => calls.push({ name, ...currentCall() });
  return {
    pay: durable(async (n) => (noted('pay'), n), {
      revert: (args, result, key) => calls.push({ name: 'revert', key }),
    }),
    token: durable(async () => (noted('token'), 'token'), { record: 'nothing' }),
    ask: async () => waitForAnswer(),
  };
}

/** A server whose code can pay, and ask. */
async function serve(options, calls) {
  const session = await openSession('s', options);
  const served = createServed({ executor: session, tools: toolsWith(calls) });
  const [run, reset] = served.tools;
  return {
    session,
    run: async (code) => (await run.call({ code }, REQUEST)).structuredContent,
    reset: () => reset.call({}, REQUEST),
    close: served.close,
  };
}

test.each([
  ['memory', () => ({ store: memoryStore() })],
  ['files', inFolder],
])('keys of calls after a reset differ from those before, in each process (%s)', async (_, make) => {
  const options = { ...make(), variables: { given: 7 } };
  const calls = [];
  const first = await serve(options, calls);
  await first.run('await pay(1); var kept = 1');
  await first.reset();
  await first.run('await token(); await pay(given)');
  await first.reset();
  // The process ends before the session is used again.
  await first.close();

  const second = await serve(options, calls);
  expect(await second.run('[typeof kept, given, await token(), await pay(2)]')).toStrictEqual({
    output: ['undefined', 7, 'token', 2],
    logs: '',
  });
  const waiting = (await second.run('await pay(3); await ask()')).waiting.map(({ key }) => key);
  expect(second.session.waiting.map(({ key }) => key)).toStrictEqual(waiting);
  await second.close();

  const paid = calls.filter(({ name }) => name === 'pay').map(({ key }) => key);
  expect(paid).toStrictEqual([
    's/1/1',
    expect.stringMatching(/^s\+[0-9a-f]{8}\/1\/2$/),
    expect.stringMatching(/^s\+[0-9a-f]{8}\/1\/2$/),
    expect.stringMatching(/^s\+[0-9a-f]{8}\/2\/1$/),
  ]);
  expect(new Set(paid).size).toBe(4);

  // Everything that names a call has the key that its tool has got.
  const session = await openSession('s', { ...options, tools: toolsWith(calls) });
  const [, , run, later] = paid;
  const keys = (await all(session.history())).flatMap(({ type, key }) => (type === 'call' ? [key] : []));
  expect(keys).toStrictEqual([run.replace(/2$/, '1'), run, later, ...waiting]);
  expect(await session.revert()).toStrictEqual([{ key: later, name: 'pay', status: 'reverted' }]);
  expect(calls.at(-1)).toStrictEqual({ name: 'revert', key: later });
  await session.run('1');
  const repeated = calls.filter(({ name, isReplay }) => name === 'token' && isReplay);
  expect(repeated.every(({ key }) => key === run.replace(/2$/, '1'))).toBe(true);
  expect(repeated.length).toBeGreaterThan(0);
});

test('a session that nobody has used yet can be reset', async () => {
  const { store, keys } = inFolder();
  const first = await serve({ store, keys }, []);
  await first.run('var kept = 1');
  await first.close();
  const second = await serve({ store, keys }, []);
  await second.reset();
  await second.reset();
  expect((await second.run('typeof kept')).output).toBe('undefined');
});
