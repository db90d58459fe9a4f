// A fleet over minutes: `npm run test:long`. MINUTES=2 makes the longest test shorter.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { DurableSession, memoryStore } from '../../build/durable/index.js';
import { SESExecutor } from '../../index.mjs';
import { childrenOf, proportionalMiB } from '../../scripts/scale/processes.mjs';
import { expectCode } from '../helpers.mjs';
import { Program, expectAnotherSession, openFleet, until, waitingRun } from './helpers.mjs';

const LOAD = fileURLToPath(new URL('fixtures/load.mjs', import.meta.url));
const MINUTES = Number(process.env.MINUTES ?? 10);
const SESSIONS = 64;
const SAMPLES = 50;

test('a broker that is away for 60 s loses runs, but no worker, and no session with a journal', async () => {
  const { broker, worker, remote } = await openFleet({ args: ['--spares', '0', '--capacity', '2'] });
  const options = { isolation: 'remote', remote, timeoutMs: 200_000 };
  const session = await DurableSession.open('s', { store: memoryStore(), executor: options });
  onTestFinished(() => session.cleanup());
  await session.run('let n = 40');
  const { executor, run } = await waitingRun(remote, options);
  await broker.kill();
  const back = sleep(60_000);
  const { details } = await expectCode(run, 'ERR_WORKER_LOST');
  expect({ ...details }).toStrictEqual({ reason: 'broker', toolCalls: 1 });
  const { details: none } = await expectCode(new SESExecutor(options).init(), 'ERR_NO_WORKER');
  expect({ ...none }).toStrictEqual({ reason: 'broker' });
  await back;
  await broker.start();
  // The client ends lost sessions when the worker asks for them.
  await until(() => worker.children.length === 0);
  expect((await session.run('n + 2')).output).toBe(42);
  await expectAnotherSession(executor);
});

test(
  `${SESSIONS} sessions that work for ${MINUTES} minutes lose nothing, and the fleet takes no more memory`,
  async () => {
    const { broker, worker, remote } = await openFleet({ args: ['--capacity', String(SESSIONS)] });
    const client = new Program(['--expose-gc', LOAD, remote.servers, String(SESSIONS)]);
    onTestFinished(() => client.close());
    await client.line(/ready/);
    const said = async () => {
      const next = client.nextLine(/^\{/);
      client.kill('SIGUSR2');
      return JSON.parse(await next);
    };
    const sum = (pids) => pids.reduce((total, pid) => total + proportionalMiB(pid), 0);
    const samples = [];
    for (let count = 0; count < SAMPLES; count++) {
      await sleep((MINUTES * 60_000) / SAMPLES);
      samples.push({
        client: (await said()).neededMiB,
        worker: sum([worker.pid]),
        sessions: sum(childrenOf(worker.pid)),
        broker: sum([broker.pid]),
      });
    }
    const { runs, wrong } = await said();
    // The middle of a fifth of the time, in MiB.
    const middle = (part, name) => {
      const values = samples.slice((part * SAMPLES) / 5, ((part + 1) * SAMPLES) / 5).map((sample) => sample[name]);
      return values.toSorted((a, b) => a - b)[values.length >> 1];
    };
    const names = ['client', 'worker', 'sessions', 'broker'];
    const figures = names.map((name) => ({ name, early: middle(1, name), late: middle(4, name) }));
    console.info(JSON.stringify({ runs, figures }));
    expect(wrong).toStrictEqual([]);
    expect(figures.filter(({ early, late }) => late > early * 1.1 + 2)).toStrictEqual([]);
  },
  (MINUTES + 5) * 60_000,
);
