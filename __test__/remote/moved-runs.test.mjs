// Durable sessions whose worker is lost or drained: a run that only waited for answers continues on another worker,
// once, and an idle session notices nothing.

import { expect, onTestFinished, test } from 'vitest';

import { DurableSession, memoryStore } from '../../build/durable/index.js';
import { openBroker } from '../broker.mjs';
import { deferred, rejection } from '../helpers.mjs';
import { makeRemote, openFleet, startWorker, until } from './helpers.mjs';
import { watchWaits } from './waits.mjs';

/** A broker, three workers, and a session with the tools. `waits`: see `watchWaits`. */
async function openSession(tools, options = {}) {
  const broker = await openBroker();
  const waits = await watchWaits(broker.port);
  const names = ['a', 'b', 'c'];
  const workers = new Map();
  for (const name of names) {
    workers.set(name, await startWorker(broker.url, { args: ['--spares', '0', '--name', name] }));
  }
  const executor = { isolation: 'remote', remote: { servers: broker.url }, timeoutMs: 100_000, ...options };
  const session = await DurableSession.open('s', { store: memoryStore(), tools, executor });
  onTestFinished(() => session.cleanup());
  return { session, waits, current: () => workers.get(session.isolation.worker) };
}

/** A tool whose calls wait until the test answers them. */
function heldTool() {
  const calls = [];
  const arrived = [deferred(), deferred(), deferred()];
  const tool = (...args) => {
    const answer = deferred();
    calls.push({ args, answer });
    arrived[calls.length - 1]?.resolve();
    return answer.promise;
  };
  return { tool, calls, arrived: (number) => arrived[number].promise };
}

/** Ends the worker of a session, and resolves when another one has the session. */
async function moveFrom(session, end) {
  const before = session.isolation.worker;
  end();
  await until(() => session.isolation !== undefined && session.isolation.worker !== before);
}

const PROGRAM = `
  const first = await add(1, 2);
  console.log('first', first);
  n = first + (await held('x')) + (await add(0, 4));
  n
`;

test.each([
  ['the process of its session is killed', (worker) => process.kill(worker.children[0], 'SIGKILL')],
  ['its worker is killed', (worker) => worker.kill('SIGKILL')],
  ['its worker is stopped', (worker) => worker.kill('SIGSTOP')],
])(
  'a run that only waits continues on another worker when %s',
  async (_title, end) => {
    const { tool: held, calls, arrived } = heldTool();
    const added = [];
    const add = async (a, b) => (added.push([a, b]), a + b);
    const { session, waits, current } = await openSession({ held, add });
    await session.run('let n = 0; const kept = (function* () { yield 1; yield 2; })(); kept.next()');
    const run = session.run(PROGRAM);
    await arrived(0);
    await waits(2);
    const worker = current();
    await moveFrom(session, () => end(worker));
    calls[0].answer.resolve(10);
    const { output, logs } = await run;
    expect(output).toBe(17);
    expect(logs).toBe('first 3');
    expect(calls.map(({ args }) => args)).toStrictEqual([['x']]);
    // Answers that had arrived are replayed.
    expect(added).toStrictEqual([
      [1, 2],
      [0, 4],
    ]);
    expect((await session.run('[n, kept.next().value]')).output).toStrictEqual([17, 2]);
  },
  60_000,
);

test('an answer that arrives while the session is rebuilt is not lost, nor is an error', async () => {
  const { tool: held, calls, arrived } = heldTool();
  const { session, waits, current } = await openSession({ held });
  const run = session.run(`
    const [one, other] = await Promise.allSettled([held(1), held(2)]);
    [one.value, other.reason.message]
  `);
  await arrived(1);
  await waits(2);
  const worker = current();
  worker.kill('SIGKILL');
  await until(() => session.state === 'REPLAYING' || current() !== worker);
  calls[0].answer.resolve('answer');
  calls[1].answer.reject(new Error('no'));
  expect((await run).output).toStrictEqual(['answer', 'no']);
  expect(calls).toHaveLength(2);
}, 60_000);

test('a run whose second worker is lost too fails, and is undone', async () => {
  const { tool: held, calls, arrived } = heldTool();
  const { session, waits, current } = await openSession({ held });
  await session.run('let n = 1');
  const run = rejection(session.run('n = 2; await held(1); await held(2); n = 3'));
  await arrived(0);
  await waits(1);
  const first = current();
  await moveFrom(session, () => first.kill('SIGKILL'));
  calls[0].answer.resolve();
  await arrived(1);
  current().kill('SIGKILL');
  const error = await run;
  expect(error.code).toBe('ERR_WORKER_LOST');
  expect(error.details.lostCalls.map(({ name }) => name)).toStrictEqual(['held', 'held']);
  expect((await session.run('n')).output).toBe(1);
  expect(calls).toHaveLength(2);
}, 60_000);

test('a run that computes is not repeated', async () => {
  const { tool: held, calls, arrived } = heldTool();
  const { session, current } = await openSession({ held }, { maxOperations: 1e15 });
  await session.run('let n = 1');
  const run = rejection(session.run('n = 2; held(1); for (;;);'));
  await arrived(0);
  current().kill('SIGKILL');
  const error = await run;
  expect(error.code).toBe('ERR_WORKER_LOST');
  expect(error.details.lostCalls.map(({ name }) => name)).toStrictEqual(['held']);
  expect((await session.run('n')).output).toBe(1);
  expect(calls).toHaveLength(1);
}, 60_000);

test.each([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
  ['drained', 'SIGTERM'],
])('an idle session whose worker is %s goes on with its variables on another worker', async (_how, signal) => {
  const { broker, worker, remote } = await openFleet({ args: ['--spares', '0'] });
  const executor = { isolation: 'remote', remote, timeoutMs: 100_000 };
  const session = await DurableSession.open('s', { store: memoryStore(), tools: { pay: async () => 7 }, executor });
  onTestFinished(() => session.cleanup());
  await session.run('let n = await pay()');
  // It is lost together with the session.
  const witness = await makeRemote(remote);
  await startWorker(broker.url, { args: ['--spares', '0', '--name', 'other'] });
  worker.kill(signal);
  await until(() => witness.state === 'DIRTY');
  expect((await session.run('++n')).output).toBe(8);
  expect(session.isolation.worker).toBe('other');
});

test('a run whose worker is drained ends there, and the session moves after it', async () => {
  const { tool: held, calls, arrived } = heldTool();
  const { session, current } = await openSession({ held });
  const run = session.run('let n = await held()');
  await arrived(0);
  const worker = current();
  const before = session.isolation.worker;
  worker.kill('SIGTERM');
  await worker.line(/takes no more sessions/);
  expect(session.isolation.worker).toBe(before);
  calls[0].answer.resolve(41);
  await run;
  expect(await worker.ended()).toBe(0);
  expect((await session.run('n + 1')).output).toBe(42);
  expect(calls).toHaveLength(1);
});
