// Claims whose answers are late or lost, and workers that are full: `init()` says so as soon as that is known.

import { expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { openBroker } from '../broker.mjs';
import { expectCode } from '../helpers.mjs';
import { makeRemote, startWorker, until } from './helpers.mjs';
import { openProxy } from './proxy.mjs';
import { KIND } from './raw-client.mjs';

const ONE = ['--spares', '0', '--capacity', '1'];

async function expectFull(remote) {
  const { details } = await expectCode(new SESExecutor({ isolation: 'remote', remote }).init(), 'ERR_NO_WORKER');
  expect({ ...details }).toStrictEqual({ reason: 'full' });
}

// For two seconds after an absence of the broker, the client did not ask workers without room.
test('a full worker is asked also when the broker was away', async () => {
  const broker = await openBroker();
  const claims = [];
  const touches = ([, subject]) => {
    const [, asked] = /^ses\.v1\.f\d+\.(\w+)\./.exec(subject) ?? [];
    if (asked !== undefined) claims.push(asked);
    return false;
  };
  const proxy = await openProxy(broker.port, { touches });
  const remote = { servers: proxy.url };
  await startWorker(broker.url, { args: ONE });
  const first = await makeRemote(remote);
  await broker.kill();
  await broker.start();
  expect((await first.run('1 + 1')).output).toBe(2);
  claims.length = 0;
  await expectFull(remote);
  expect(claims.slice(0, 2)).toStrictEqual(['open', 'full']);
}, 60_000);

// Only another answer ended the search.
test('a worker that is full and then silent counts as full', async () => {
  const broker = await openBroker();
  let isKnown = false;
  const isAfterFull = ([, subject], bytes) => {
    if (isKnown) return true;
    isKnown = /\.s-\d+\.\d+$/.test(subject) && bytes.at(-7) === KIND.full;
    return false;
  };
  const proxy = await openProxy(broker.port, { touches: isAfterFull, lose: 1 });
  await startWorker(proxy.url, { args: ONE });
  await makeRemote({ servers: broker.url });
  await expectFull({ servers: broker.url });
  expect(isKnown).toBe(true);
}, 60_000);

// The answer to a claim did not count when it took longer than 250 ms, however often the client asked.
test('late answers count: a session opens, and the next one finds no room', async () => {
  const broker = await openBroker();
  const proxy = await openProxy(broker.port, { delayMs: 150 });
  const worker = await startWorker(broker.url, { args: ONE });
  const far = { servers: proxy.url };
  const executor = await makeRemote(far);
  expect((await executor.run('1 + 1')).output).toBe(2);
  await until(() => worker.children.length === 1);
  await expectFull(far);
  await executor.cleanup();
}, 60_000);
