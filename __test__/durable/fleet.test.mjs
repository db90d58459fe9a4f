// Durable sessions on a fleet: host, worker and broker end and start again while a person is asked.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { memoryStore } from 'ses-executor/durable';
import { startWorker } from '../../scripts/local-fleet.mjs';
import { openBroker } from '../broker.mjs';
import { openFleet } from '../remote/helpers.mjs';
import { all, inProcesses, openSession, untouchable } from './helpers.mjs';

test('an approval waits while host, worker and broker are killed and start again', async () => {
  const broker = await openBroker();
  const { folder, act, effects } = inProcesses({ servers: broker.url, isolation: 'remote' });
  let worker;
  onTestFinished(() => worker?.kill('SIGKILL'));
  const start = async (name) => {
    worker = await startWorker(broker.url, { name });
  };
  /** Everything ends without a word and starts again. */
  const restartAll = async (name) => {
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    await broker.kill();
    await broker.start();
    await start(name);
  };

  await start('first');
  const code =
    'let x = await a(1); const reply = await ask("pay?"); x += s(await a(2)); const done = await waits(); [x, reply, done]';
  expect(await act('start', code)).toMatchObject({ state: 'WAITING', result: { calls: [{ key: 's/1/2' }] } });
  await restartAll('second');
  // The process is killed in the tool `waits`, after the approval.
  expect(await act('answer', { 's/1/2': { result: 'yes' } })).toStrictEqual({ signal: 'SIGKILL' });
  await restartAll('third');
  expect(await act('look')).toMatchObject({ state: 'WAITING', waiting: [{ name: 'waits', isInDoubt: true }] });
  const { result } = await act('answer', { 's/1/5': { approve: true } });
  expect(result.output.output).toStrictEqual([4, 'yes', 'waits 2']);
  expect(effects()).toStrictEqual(['a 1', 'ask pay?', 'a 2', 's 2', 'waits s/1/5 1', 'waits s/1/5 2']);
  expect(existsSync(join(folder, 'sessions'))).toBe(false);
});

test('plain variables replace long runs of a session on a fleet too', async () => {
  const { remote } = await openFleet({ args: ['--spares', '0'] });
  const options = { store: memoryStore(), executor: { isolation: 'remote', remote } };
  const tools = { read: async () => 'x'.repeat(6 << 20) };
  const session = await openSession('s', { ...options, tools });
  for (let n = 0; n < 3; n++) await session.run(`const read${n} = (await read()).length`);
  await session.run('read0');
  await session.cleanup();
  const again = await openSession('s', { ...options, tools: untouchable(tools) });
  const types = (await all(again.history())).map(({ type }) => type);
  expect(types).toContain('restart');
  expect((await again.run('[read0, read1, read2]')).output).toStrictEqual([6 << 20, 6 << 20, 6 << 20]);
});
