// The broker of deploy/broker-tls.conf: clients without TLS, or that do not know the authority, get nothing.

import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { startWorker } from '../../scripts/local-fleet.mjs';
import { natsStore } from 'ses-executor/durable';
import { ROOT, expectCode, rejection } from '../helpers.mjs';
import { PASSWORDS, addressOf, openDeployed } from './helpers.mjs';

const fixture = (name) => join(ROOT, '__test__/deploy/fixtures', name);
const openWithTls = () =>
  openDeployed('broker-tls.conf', {
    SES_BROKER_CERT: fixture('server.pem'),
    SES_BROKER_KEY: fixture('server-key.pem'),
  });

function storeWith(options) {
  const store = natsStore({ timeoutMs: 60_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

test('a store that knows the authority keeps journals over TLS', async () => {
  const broker = await openWithTls();
  const store = storeWith({ servers: addressOf(broker, 'acme', 'tls'), tls: { caFile: fixture('ca.pem') } });
  expect(await store.append('s', 0, [Buffer.from('a')])).toBe(1);
});

test('a store that does not know the authority fails before it sends a password', async () => {
  const broker = await openWithTls();
  const error = await rejection(storeWith({ servers: addressOf(broker, 'acme', 'tls') }).append('s', 0, []));
  expect(error.message).toMatch(/unable to verify the first certificate|self-signed certificate/);
  expect(broker.log).not.toContain(PASSWORDS.acme);
});

test('a broker without TLS is refused by a store that asks for it', async () => {
  const broker = await openDeployed();
  const error = await rejection(storeWith({ servers: addressOf(broker, 'acme', 'tls') }).append('s', 0, []));
  expect(error.message).toBe("server does not support 'tls'");
});

test('workers and executors that know the authority have sessions over TLS, and others fail before they send a password', async () => {
  const broker = await openWithTls();
  const make = (scheme) => {
    const remote = { servers: addressOf(broker, 'acme', scheme) };
    const executor = new SESExecutor({ isolation: 'remote', remote });
    onTestFinished(() => executor.cleanup());
    return executor;
  };
  for (const scheme of ['tls', 'nats']) {
    const error = await expectCode(make(scheme).init(), 'ERR_NO_WORKER');
    expect({ ...error.details }).toStrictEqual({ reason: 'broker' });
    expect(error.message).not.toContain(PASSWORDS.acme);
  }
  // The authorities that the system trusts, for this process and the worker.
  process.env.SSL_CERT_FILE = fixture('ca.pem');
  onTestFinished(() => delete process.env.SSL_CERT_FILE);
  const worker = await startWorker(addressOf(broker, 'worker', 'tls'), { name: 'secured' });
  onTestFinished(() => worker.kill('SIGKILL'));
  const executor = make('tls');
  await executor.init();
  expect((await executor.run('40 + 2')).output).toBe(42);
  expect(executor.isolation.worker).toBe('secured');
}, 60_000);
