// Processes that do not read for a while: what they have received is not sent again, and other sessions go on.

import { expect, test } from 'vitest';

import { openBroker } from '../broker.mjs';
import { gateTool } from '../helpers.mjs';
import { stop } from '../process/helpers.mjs';
import { makeRemote, openFleet, startWorker } from './helpers.mjs';
import { openProxy } from './proxy.mjs';
import { KIND, rawClient, readWord } from './raw-client.mjs';

const ONE = ['--spares', '0'];
/** Longer than a pipe and shorter than the window together. */
const TEXT = 'x'.repeat(100_000);
/** Asks for answers, and computes while they arrive. Pings say several times how far the messages have come. */
const program = (calls, ms) => `
  const all = Array.from({ length: ${calls} }, () => text());
  const end = Date.now() + ${ms};
  while (Date.now() < end);
  (await Promise.all(all)).map(({ length }) => length)
`;

// Pings said how far messages were consumed, so everything else was sent again with each ping.
test('messages for a guest that computes are sent once', async () => {
  const { broker, remote } = await openFleet({ args: ONE });
  const watcher = await rawClient(broker.port);
  const sent = [];
  watcher.subscribe('ses.v1.w.*.s.*', ({ bytes }) => {
    const { kind, number } = readWord(bytes);
    if (kind <= KIND.wake) sent.push(number);
  });
  await watcher.flushed();
  const executor = await makeRemote(remote, { timeoutMs: 100_000, maxOperations: 1e15 }, { text: async () => TEXT });
  const { output } = await executor.run(program(6, 1_500));
  expect(output).toStrictEqual(Array.from({ length: 6 }, () => TEXT.length));
  expect(sent.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: sent.length }, (_, number) => number));
}, 60_000);

// A request for a missing message also freed the room of those that had arrived and were not consumed. The client then
// exceeded the window, and the worker ended the session.
test('messages for a guest that computes may be lost', async () => {
  const broker = await openBroker();
  const isNumbered = ([, subject], bytes) => /\.s\.[0-9a-f]{32}$/.test(subject) && bytes.at(-7) === KIND.data;
  const proxy = await openProxy(broker.port, { touches: isNumbered, lose: 0.1 });
  await startWorker(broker.url, { args: ONE });
  const options = { timeoutMs: 100_000, maxOperations: 1e15, maxTransferBytes: 32 << 20 };
  const executor = await makeRemote({ servers: proxy.url }, options, { text: async () => TEXT });
  const { output } = await executor.run(program(60, 3_000));
  expect(output).toStrictEqual(Array.from({ length: 60 }, () => TEXT.length));
  expect(proxy.counts.lost).toBeGreaterThan(0);
}, 60_000);

// Messages that had arrived took room of the connection until they were consumed.
test('processes that are stopped do not keep other sessions from receiving', async () => {
  const { worker, remote } = await openFleet({ args: ONE });
  // As many windows as the connection has room for.
  const stopped = [];
  for (let count = 0; count < 20; count++) {
    const gate = gateTool();
    const before = worker.children;
    const executor = await makeRemote(remote, { timeoutMs: 600_000 }, { tool: gate.tool });
    const child = worker.children.find((pid) => !before.includes(pid));
    const run = executor.run('(await tool()).length');
    await gate.called;
    stopped.push({ ...gate, run, child });
  }
  await Promise.all(stopped.map(({ child }) => stop(child)));
  for (const { open } of stopped) open('x'.repeat(2 << 20));
  const other = await makeRemote(remote, { timeoutMs: 20_000 });
  await other.sendVariables({ text: TEXT });
  expect((await other.run('text.length')).output).toBe(TEXT.length);
  for (const { child } of stopped) process.kill(child, 'SIGCONT');
  const outputs = await Promise.all(stopped.map(({ run }) => run));
  expect(outputs.map(({ output }) => output)).toStrictEqual(stopped.map(() => 2 << 20));
}, 120_000);
