// Two tenants with an account each, and workers in a third one.

import { expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { openBroker } from '../broker.mjs';
import { expectCode } from '../helpers.mjs';
import { makeRemote, startWorker, until, waitingRun } from './helpers.mjs';
import { KIND, rawClient, word } from './raw-client.mjs';

/** A broker with two tenants, and a worker. */
async function openTenants() {
  const broker = await openBroker({ config: new URL('fixtures/tenants.conf', import.meta.url).pathname });
  const as = (user) => ({ servers: broker.url.replace('//', `//${user}:${user}@`) });
  const start = () => startWorker(as('worker').servers, { args: ['--spares', '0'] });
  return { broker, start, acme: as('acme'), globex: as('globex') };
}

test('tenants use the same workers, and find none if there is none', async () => {
  const { start, acme, globex } = await openTenants();
  const error = await expectCode(new SESExecutor({ isolation: 'remote', remote: acme }).init(), 'ERR_NO_WORKER');
  expect(error.details.reason).toBe('none');
  const worker = await start();
  const add = (a, b) => a + b;
  const executors = [await makeRemote(acme, {}, { add }), await makeRemote(globex, {}, { add })];
  for (const executor of executors) {
    const { output } = await executor.run('let sum = 0; for (let i = 0; i < 200; i++) sum = add(sum, i); sum');
    expect(output).toBe(19_900);
  }
  expect(executors[0].isolation.worker).toBe(executors[1].isolation.worker);
  await executors[0].cleanup();
  await until(() => worker.children.length === 1);
  expect((await executors[1].run('"still here"')).output).toBe('still here');
}, 60_000);

test('a worker that is killed is noticed across accounts', async () => {
  const { start, acme } = await openTenants();
  const worker = await start();
  const { run } = await waitingRun(acme);
  worker.kill('SIGKILL');
  const error = await expectCode(run, 'ERR_WORKER_LOST');
  expect(error.details.reason).toBe('gone');
}, 60_000);

test('P25: a tenant that knows the token of another one can neither read nor end its session', async () => {
  const { broker, start, acme } = await openTenants();
  const seen = [];
  const spy = await rawClient(broker.port, { user: 'acme', pass: 'acme' });
  spy.subscribe('ses.v1.>', ({ subject }) => seen.push(subject));
  const attacker = await rawClient(broker.port, { user: 'globex', pass: 'globex' });
  const read = [];
  for (const subject of ['ses.v1.>', '_INBOX.>', '>']) attacker.subscribe(subject, (message) => read.push(message));
  await Promise.all([spy.flushed(), attacker.flushed()]);
  await start();
  const executor = await makeRemote(acme);
  await executor.run('1');
  const subject = await until(() => seen.find((name) => /\.s\.[0-9a-f]{32}$/.test(name)));
  attacker.publish(subject, word(KIND.kill, 0));
  attacker.publish(subject.replace('ses.v1.', 'ses.v1.t.acme.'), word(KIND.kill, 0));
  await attacker.flushed();
  expect((await executor.run('2')).output).toBe(2);
  // Only what the attacker itself has published.
  expect(read.filter(({ bytes }) => !bytes.equals(word(KIND.kill, 0)))).toStrictEqual([]);
}, 60_000);
