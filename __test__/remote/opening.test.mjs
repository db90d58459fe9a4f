// Processes that are killed or stopped while a session opens: a worker has claimed it, and its process has not begun
// it.

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { ended, stop } from '../process/helpers.mjs';
import { expectAnotherSession, openFleet, startClient, startWorker, until } from './helpers.mjs';

const ONE = ['--spares', '0', '--capacity', '1'];
/** A client that says so when its session is open. */
const CLIENT = "setInterval(() => {}, 1_000); say((await executor.run('40 + 2')).output)";

/** The newest process of a worker, as soon as there is one. */
async function newChild(worker) {
  for (;;) {
    const [child] = worker.children;
    if (child !== undefined) return child;
    await setImmediate();
  }
}

/**
 * Whether a process has not closed its sandbox yet. It greets its host after that, and opens sessions after the
 * greeting.
 */
const isNew = (pid) => /^Seccomp:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));

/**
 * Begins sessions until the process of one is stopped before it can open the session.
 *
 * @param begin begins a session, and returns what `end` ends
 */
async function stopOpening(worker, begin, end) {
  for (;;) {
    const begun = begin();
    const child = await newChild(worker);
    await stop(child);
    if (isNew(child)) return { begun, child };
    process.kill(child, 'SIGCONT');
    await end(begun);
    await until(() => worker.children.length === 0);
  }
}

/** A session of this process that opens, and whose process is stopped. */
async function openingSession(worker, remote) {
  const begin = () => {
    const executor = new SESExecutor({ isolation: 'remote', remote });
    return { executor, init: executor.init() };
  };
  const end = async ({ executor, init }) => {
    await init;
    await executor.cleanup();
  };
  const { begun, child } = await stopOpening(worker, begin, end);
  return { ...begun, child };
}

/** The same of another process. */
async function openingClient(worker, remote) {
  const end = (client) => client.close();
  const { begun: client, child } = await stopOpening(worker, () => startClient(remote, CLIENT), end);
  return { client, child };
}

async function expectOpen({ executor, init }, worker) {
  await init;
  expect((await executor.run('40 + 2')).output).toBe(42);
  if (worker !== undefined) expect(executor.isolation.worker).toBe(worker);
  await executor.cleanup();
}

describe('a session whose process does not open it', () => {
  test('because it was killed gets another process', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const session = await openingSession(worker, remote);
    process.kill(session.child, 'SIGKILL');
    await expectOpen(session);
    await until(() => worker.children.length === 0);
  });

  test('because it is stopped opens when the process goes on', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const session = await openingSession(worker, remote);
    process.kill(session.child, 'SIGCONT');
    await expectOpen(session);
  });

  test('because it is stopped frees its place when the session is given up', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { executor, init } = await openingSession(worker, remote);
    const outcome = init.catch(({ code }) => code);
    await executor.cleanup();
    expect(await outcome).toBe('ERR_INVALID_STATE');
    await until(() => worker.children.length === 0);
    await expectAnotherSession(executor);
    await executor.cleanup();
  });
});

describe('a session whose worker does not open it', () => {
  test.each([
    ['was killed', 'SIGKILL'],
    ['is stopped', 'SIGSTOP'],
  ])(
    'because the worker %s opens on another worker',
    async (_how, signal) => {
      const { broker, worker, remote } = await openFleet({ args: ONE });
      const session = await openingSession(worker, remote);
      await startWorker(broker.url, { args: [...ONE, '--name', 'other'] });
      worker.kill(signal);
      await expectOpen(session, 'other');
      worker.kill('SIGCONT');
      await ended(session.child);
    },
    30_000,
  );

  test('because the worker was killed fails without another worker', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { executor, init } = await openingSession(worker, remote);
    worker.kill();
    const { code, details } = await init.catch((error) => error);
    expect([code, { ...details }]).toStrictEqual(['ERR_NO_WORKER', { reason: 'none' }]);
    expect(executor.state).toBe('DEAD');
  });
});

describe('a client that opens a session', () => {
  test('and is killed leaves no process behind, and the place is free', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { client, child } = await openingClient(worker, remote);
    client.kill();
    await ended(child);
    await expectOpen(freeSession(remote));
  });

  test('and is stopped opens it when both go on', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { client, child } = await openingClient(worker, remote);
    await stop(client.pid);
    process.kill(child, 'SIGCONT');
    client.kill('SIGCONT');
    expect(await client.line(/^/)).toBe('42');
  });

  test('and is stopped for longer than its lease frees the place, and opens another session when it goes on', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { client, child } = await openingClient(worker, remote);
    await stop(client.pid);
    await ended(child);
    await expectOpen(freeSession(remote));
    client.kill('SIGCONT');
    expect(await client.line(/^/)).toBe('42');
  }, 60_000);
});

/** A session in the place that another one has left. */
function freeSession(remote) {
  const executor = new SESExecutor({ isolation: 'remote', remote });
  return { executor, init: executor.init() };
}
