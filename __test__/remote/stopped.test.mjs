// Processes that are stopped (SIGSTOP) in a run or while their session is idle: they do nothing, but have not ended.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode } from '../helpers.mjs';
import { stop } from '../process/helpers.mjs';
import { childOf, expectAnotherSession, makeRemote, openFleet, startClient, until, waitingRun } from './helpers.mjs';

const ONE = ['--spares', '0', '--capacity', '1'];

/** Resolves when a stopped client may have been missed: longer than a worker may be silent, and less than a lease. */
const awhile = () => new Promise((resolve) => setTimeout(resolve, 3_000));
/** Resolves when the lease of a stopped client has ended. */
const lease = () => new Promise((resolve) => setTimeout(resolve, 13_000));

describe('the process of a session that is stopped', () => {
  /** The run ends at its deadline, and its process ends too. */
  const expectEnded = async (run, executor, worker) => {
    const { details } = await expectCode(run, 'ERR_EXEC_TIMEOUT');
    expect({ ...details }).toStrictEqual({ reason: 'deadline', timeoutMs: 1_000 });
    expect(executor.state).toBe('DIRTY');
    await until(() => worker.children.length === 0);
    await expectAnotherSession(executor);
  };

  test('while it computes loses the run at its deadline, and frees its place', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const begun = deferred();
    const executor = await makeRemote(remote, { onLog: () => begun.resolve(), timeoutMs: 1_000, maxOperations: 1e15 });
    const run = executor.run('console.log("begun"); for (;;) {}');
    await begun.promise;
    await stop(await childOf(worker));
    await expectEnded(run, executor, worker);
  });

  test('while it waits for a tool loses the run at its deadline, and frees its place', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { executor, run, open } = await waitingRun(remote, { timeoutMs: 1_000 });
    await stop(await childOf(worker));
    open('too late');
    await expectEnded(run, executor, worker);
  });

  test('while its session is idle loses the next run at its deadline, and frees its place', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const executor = await makeRemote(remote, { timeoutMs: 1_000 });
    await executor.run('1');
    await stop(await childOf(worker));
    await expectEnded(executor.run('2'), executor, worker);
  });

  test('and continues before the deadline loses nothing', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const { run, open } = await waitingRun(remote, { timeoutMs: 60_000 });
    const child = await childOf(worker);
    await stop(child);
    open('done');
    await awhile();
    process.kill(child, 'SIGCONT');
    expect((await run).output).toBe('done');
  });
});

describe('a worker that is stopped while a session is idle', () => {
  test('loses the session, and its process when it continues', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const executor = await makeRemote(remote);
    await executor.run('1');
    await stop(worker.pid);
    await until(() => executor.state === 'DIRTY');
    const { details } = await expectCode(executor.run('2'), 'ERR_WORKER_LOST');
    expect({ ...details }).toStrictEqual({ reason: 'hung', toolCalls: 0 });
    worker.kill('SIGCONT');
    await until(() => worker.children.length === 0);
    await expectAnotherSession(executor);
  }, 30_000);
});

/** A client whose session is idle, and says the output of a run at SIGUSR2. */
const IDLE = `
  await executor.run('let n = 40');
  process.once('SIGUSR2', async () => {
    const said = (error) => say('lost ' + error.code + ' ' + error.details.reason);
    await executor.run('n + 2').then(({ output }) => say('output ' + output), said);
  });
  setInterval(() => {}, 1_000);
  say('idle');
`;

/** A client that is in a run, which ends at SIGUSR2 with the answer of a tool. */
const BUSY = `
  let answer;
  await executor.sendTools({ tool: async () => new Promise((resolve) => (answer = resolve)) });
  process.once('SIGUSR2', () => answer(42));
  setInterval(() => {}, 1_000);
  const said = (error) => say('lost ' + error.code + ' ' + error.details.reason);
  await executor.run('console.log("busy"); await tool()').then(({ output }) => say('output ' + output), said);
`;

describe('a client that is stopped', () => {
  test.each([
    ['while its session is idle', IDLE, /idle/],
    ['in a run', BUSY, /busy/],
  ])('%s and continues before its lease ends loses nothing', async (_when, code, ready) => {
    const { remote } = await openFleet({ args: ONE });
    const client = startClient(remote, code);
    await client.line(ready);
    await stop(client.pid);
    await awhile();
    client.kill('SIGCONT');
    client.kill('SIGUSR2');
    expect(await client.line(/output|lost/)).toBe('output 42');
  });

  // The worker counted the time in which it was stopped itself, and ended all of its sessions.
  test('together with its worker, for longer than its lease, loses nothing', async () => {
    const { worker, remote } = await openFleet({ args: ONE });
    const client = startClient(remote, IDLE);
    await client.line(/idle/);
    await Promise.all([stop(client.pid), stop(worker.pid)]);
    await lease();
    worker.kill('SIGCONT');
    client.kill('SIGCONT');
    client.kill('SIGUSR2');
    expect(await client.line(/output|lost/)).toBe('output 42');
  }, 60_000);

  test('for longer than its lease loses its sessions, whose places are free', async () => {
    const { worker, remote } = await openFleet({ args: ['--spares', '0', '--capacity', '2'] });
    const idle = startClient(remote, IDLE);
    const busy = startClient(remote, BUSY);
    await Promise.all([idle.line(/idle/), busy.line(/busy/)]);
    await Promise.all([stop(idle.pid), stop(busy.pid)]);
    await until(() => worker.children.length === 0);
    const executors = [await makeRemote(remote), await makeRemote(remote)];
    const outputs = await Promise.all(executors.map((executor) => executor.run('40 + 2')));
    expect(outputs.map(({ output }) => output)).toStrictEqual([42, 42]);
    busy.kill('SIGCONT');
    expect(await busy.line(/output|lost/)).toBe('lost ERR_WORKER_LOST gone');
    idle.kill('SIGCONT');
    idle.kill('SIGUSR2');
    expect(await idle.line(/output|lost/)).toBe('lost ERR_WORKER_LOST gone');
  }, 60_000);
});
