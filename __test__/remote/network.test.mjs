// Frames that are lost, repeated, reordered or late on their way, in either direction.

import { describe, expect, test } from 'vitest';

import { openBroker } from '../broker.mjs';
import { deferred, expectCode } from '../helpers.mjs';
import { makeRemote, startWorker, until } from './helpers.mjs';
import { openProxy } from './proxy.mjs';
import { KIND, rawClient, readWord } from './raw-client.mjs';

/** Only messages of sessions: claims have other tests. */
const ofSessions = ([, subject]) => /\.s\.[0-9a-f]{32}$|^_INBOX\..*\.s-\d+\.\d+$/.test(subject);

/** A broker, a worker and an executor, of which one is behind a proxy. */
async function openBehind(side, how) {
  const broker = await openBroker();
  const proxy = await openProxy(broker.port, { touches: ofSessions, ...how });
  await startWorker(side === 'worker' ? proxy.url : broker.url, { args: ['--spares', '0'] });
  return { proxy, remote: { servers: side === 'client' ? proxy.url : broker.url } };
}

describe.each(['client', 'worker'])('messages of the %s', (side) => {
  test.each([
    ['are lost', { lose: 0.05 }, 'lost'],
    ['are repeated', { repeat: 0.3 }, 'repeated'],
    ['are reordered', { swap: 0.3 }, 'swapped'],
    ['are lost, repeated and reordered', { lose: 0.03, repeat: 0.1, swap: 0.1 }, 'lost'],
  ])(
    'that %s change nothing',
    async (_how, options, name) => {
      const { proxy, remote } = await openBehind(side, options);
      const calls = [];
      const add = (n) => (calls.push(n), n);
      const executor = await makeRemote(remote, { timeoutMs: 100_000 }, { add });
      const program = 'let sum = 0; for (let i = 0; i < 60; i++) { sum += add(i); console.log(i); } sum';
      const { output, logs } = await executor.run(program);
      expect(output).toBe((59 * 60) / 2);
      expect(calls).toStrictEqual(Array.from({ length: 60 }, (_, index) => index));
      expect(logs.split('\n')).toStrictEqual(Array.from({ length: 60 }, (_, index) => String(index)));
      // Several parts in each direction.
      const text = 'xyz'.repeat(300_000);
      await executor.sendVariables({ text });
      expect((await executor.run('text + "!"')).output === `${text}!`).toBe(true);
      expect(proxy.counts[name]).toBeGreaterThan(0);
    },
    120_000,
  );
});

test('a run over a distance of 40 ms that is aborted keeps its state', async () => {
  const broker = await openBroker();
  const proxy = await openProxy(broker.port, { delayMs: 20 });
  await startWorker(broker.url, { args: ['--spares', '0'] });
  const logged = deferred();
  const onLog = () => logged.resolve();
  const executor = await makeRemote({ servers: proxy.url }, { keepState: true, timeoutMs: 100_000, onLog });
  await executor.run('var kept = 1;');
  const controller = new AbortController();
  const options = { signal: controller.signal, maxOperations: 1e15 };
  const run = executor.run('console.log("begun"); for (;;) {}', options);
  await logged.promise;
  controller.abort();
  const error = await expectCode(run, 'ERR_EXEC_TIMEOUT');
  expect(error.details.stateLost).toBe(false);
  expect((await executor.run('kept')).output).toBe(1);
}, 60_000);

test('a session whose last message to the worker is lost ends when the worker asks for it', async () => {
  const broker = await openBroker();
  const isKill = ([, subject], bytes) => /\.s\.[0-9a-f]{32}$/.test(subject) && bytes.at(-7) === KIND.kill;
  const proxy = await openProxy(broker.port, { touches: isKill, lose: 1 });
  const worker = await startWorker(broker.url, { args: ['--spares', '0'] });
  const answers = [];
  const watcher = await rawClient(broker.port);
  watcher.subscribe('_INBOX.>', ({ bytes }) => answers.push(readWord(bytes).kind));
  await watcher.flushed();
  const [other, executor] = [await makeRemote({ servers: proxy.url }), await makeRemote({ servers: proxy.url })];
  await executor.cleanup();
  expect(proxy.counts.lost).toBe(1);
  await until(() => worker.children.length === 1);
  // Not because the client was silent for as long as a lease.
  expect(answers).toContain(KIND.kill);
  expect((await other.run('40 + 2')).output).toBe(42);
}, 60_000);
