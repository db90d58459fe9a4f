// The options `isolation: 'remote'` and `remote`.

import { expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { PyodideExecutor } from '../../build/python/index.js';
import { openBroker } from '../broker.mjs';
import { expectCode, withFolder } from '../helpers.mjs';
import { writeJwtConfig } from '../jwt.mjs';
import { makeRemote, startWorker } from './helpers.mjs';

const make = (remote) => new SESExecutor({ isolation: 'remote', remote });

test.each([
  [undefined, 'options.remote is required with isolation: "remote"'],
  [{}, 'options.remote.servers must be an address or an array of addresses, got undefined'],
  [{ servers: [] }, 'options.remote.servers must have an address'],
  [{ servers: 'http://user:secret@host' }, 'options.remote.servers[0] must be like nats://host:4222'],
  [{ servers: 'nats://a', pool: 'a.b' }, 'options.remote.pool must have letters, digits, - and _ only, got "a.b"'],
  [{ servers: 'nats://a', credentials: 1 }, 'options.remote.credentials must be the path of a file, got 1'],
  [
    { servers: 'nats://a', extra: 1 },
    'options.remote.extra is not an option; the options are servers, pool, credentials',
  ],
])('remote: %j is refused', (remote, message) => {
  expect(() => make(remote)).toThrow(message);
});

test('Python on a fleet has no folders of the host', () => {
  const options = { isolation: 'remote', remote: { servers: 'nats://a' } };
  for (const more of [{ workDir: '.' }, { mount: true }]) {
    expect(() => new PyodideExecutor(undefined, { ...options, ...more })).toThrow(
      'needs a folder of this computer, which isolation: "remote" does not have',
    );
  }
  expect(() => new PyodideExecutor(undefined, { isolation: 'remote' })).toThrow('options.remote is required');
});

test('a broker that wants a user accepts the one of the address, and no other', async () => {
  const env = { TEST_USER: 'agent', TEST_PASSWORD: 'p@ss/word' };
  const broker = await openBroker({ config: new URL('fixtures/user.conf', import.meta.url).pathname, env });
  const url = (user, password) => broker.url.replace('//', `//${user}:${encodeURIComponent(password)}@`);
  await startWorker(url(env.TEST_USER, env.TEST_PASSWORD), { args: ['--spares', '0'] });
  const executor = await makeRemote({ servers: url(env.TEST_USER, env.TEST_PASSWORD) });
  expect((await executor.run('1')).output).toBe(1);
  for (const servers of [broker.url, url(env.TEST_USER, 'wrong')]) {
    const error = await expectCode(make({ servers }).init(), 'ERR_NO_WORKER');
    expect(error.details.reason).toBe('broker');
    expect(error.message).not.toContain('wrong');
  }
}, 60_000);

test(
  'workers and executors log in with a JWT and an NKey, and those of another operator are refused',
  () =>
    withFolder(async (folder) => {
      const { config, credentials } = writeJwtConfig(folder);
      const broker = await openBroker({ config });
      await startWorker(broker.url, { args: ['--spares', '0', '--credentials', credentials] });
      const executor = await makeRemote({ servers: broker.url, credentials });
      expect((await executor.run('40 + 2')).output).toBe(42);
      const other = await withFolder(async (elsewhere) => {
        const remote = { servers: broker.url, credentials: writeJwtConfig(elsewhere).credentials };
        return expectCode(make(remote).init(), 'ERR_NO_WORKER');
      });
      const none = await expectCode(make({ servers: broker.url }).init(), 'ERR_NO_WORKER');
      expect([other, none].map(({ details }) => details.reason)).toStrictEqual(['broker', 'broker']);
    }),
  60_000,
);

test('credentials that cannot be read are an error of init()', async () => {
  const error = await expectCode(
    make({ servers: 'nats://127.0.0.1:1', credentials: '/nowhere' }).init(),
    'ERR_NO_WORKER',
  );
  expect(error.details.reason).toBe('broker');
  expect(error.message).toMatch(/^No worker: the credentials cannot be read: /);
});
