// The tenants of deploy/ with real sessions on a real worker. One tenant knows everything about the session of the
// other one, and has no use of it.

import { expect, onTestFinished, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { startWorker } from '../../scripts/local-fleet.mjs';
import { addressOf, connectAs, openDeployed } from './helpers.mjs';

async function openFleet() {
  const broker = await openDeployed();
  const worker = await startWorker(addressOf(broker, 'worker'), { name: 'w1' });
  onTestFinished(() => worker.kill('SIGKILL'));
  return { broker, worker };
}

async function sessionOf(broker, user) {
  const executor = new SESExecutor({ isolation: 'remote', remote: { servers: addressOf(broker, user) } });
  onTestFinished(() => executor.cleanup());
  await executor.init();
  return executor;
}

test('both tenants have sessions on the same worker, and neither sees the other one', async () => {
  const { broker } = await openFleet();
  const [acme, globex] = await Promise.all(['acme', 'globex'].map((user) => sessionOf(broker, user)));
  await acme.run('const secret = "of acme"');
  await globex.run('const secret = "of globex"');
  expect([(await acme.run('secret')).output, (await globex.run('secret')).output]).toStrictEqual([
    'of acme',
    'of globex',
  ]);
  expect([acme.isolation.worker, globex.isolation.worker]).toStrictEqual(['w1', 'w1']);
});

test('frames that another tenant repeats or invents, under the name of a real session, have no effect', async () => {
  const { broker } = await openFleet();
  // With the password of a worker, which no tenant has, the subjects of a session can be read.
  const spy = await connectAs(broker, 'worker');
  const frames = [];
  spy.connection.subscribe('ses.v1.t.globex.w.>', {
    callback: (error, { subject, data }) => frames.push({ subject, data: Uint8Array.from(data) }),
  });
  await spy.connection.flush();
  const called = [];
  const globex = await sessionOf(broker, 'globex');
  await globex.sendTools({ pay: async (amount) => called.push(amount) });
  await globex.run('let n = 0; await pay(++n)');
  await expect.poll(() => frames.length).toBeGreaterThan(3);
  spy.connection.close();

  const acme = await connectAs(broker, 'acme');
  const got = [];
  acme.connection.subscribe('_INBOX.acme.>', { callback: (error, message) => got.push(message.string()) });
  const sent = [...frames];
  for (const { subject, data } of sent) {
    const own = subject.replace('ses.v1.t.globex.', 'ses.v1.');
    acme.connection.publish(own, data, { reply: '_INBOX.acme.1' });
    acme.connection.publish(own, data.subarray(0, data.length >> 1), { reply: '_INBOX.acme.1' });
    acme.connection.publish(own, Buffer.alloc(900_000, 255), { reply: '_INBOX.acme.1' });
    acme.connection.publish(own, '', { reply: '_INBOX.acme.1' });
  }
  await acme.connection.flush();

  // The session of the other tenant goes on, with the state that it had, and no call was repeated.
  expect((await globex.run('await pay(++n); n')).output).toBe(2);
  expect(called).toStrictEqual([1, 2]);
  expect((await (await sessionOf(broker, 'acme')).run('typeof n')).output).toBe('undefined');
  await acme.connection.flush();
  for (const text of got) expect(text).not.toContain('pay');
});
