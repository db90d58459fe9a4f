// Journals on a real broker: hosts, and the broker itself, end at any point, and what was stored is there again.

import { writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DurableSession, natsStore, waitForAnswer } from 'ses-executor/durable';
import { openBroker } from '../broker.mjs';
import { writeJwtConfig } from '../jwt.mjs';
import { deferred, rejection } from '../helpers.mjs';
import { KEYS, all, expectOneAnswer, inProcesses, temporaryFolder } from './helpers.mjs';

const bytes = (...texts) => texts.map((text) => new TextEncoder().encode(text));
const texts = async (store, id, from) =>
  (await all(store.read(id, from))).map((entry) => Buffer.from(entry).toString());

/** A store that is closed after the test. */
function storeOn(broker, options = {}) {
  const store = natsStore({ servers: broker.url, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A session on a store with its own connection, as another host would have it. */
async function openOn(broker, id, options = {}) {
  const session = await DurableSession.open(id, { store: storeOn(broker), keys: KEYS, ...options });
  onTestFinished(() => session.cleanup());
  return session;
}

/** A client of the broker that does what other programs might do. */
async function strangerOn(broker) {
  const connection = await connect({ servers: broker.url });
  onTestFinished(() => connection.close());
  return { connection, js: jetstream(connection), manager: await jetstreamManager(connection) };
}

/**
 * A proxy in front of a broker; `cut(buffer)` decides about each piece of data of the broker whether to cut the
 * connection instead.
 */
async function proxyOf(broker, cut) {
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connectSocket(broker.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (!cut(data)) return client.write(data);
      client.destroy();
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `nats://127.0.0.1:${server.address().port}` };
}

describe('a session on a broker', () => {
  test('waits for an approval while its host ends and the broker is killed, and continues in another process', async () => {
    const broker = await openBroker();
    const { act, effects } = inProcesses({ servers: broker.url });
    const first = await act(
      'start',
      'const x = await a(1); const reply = await ask("pay?"); [x, reply, s(await a(2))]',
    );
    expect(first).toMatchObject({ state: 'WAITING', result: { status: 'waiting', calls: [{ key: 's/1/2' }] } });
    await broker.kill();
    await broker.start();
    expect(await act('look')).toMatchObject({ state: 'WAITING', waiting: first.waiting });
    await broker.kill();
    await broker.start();
    const { result } = await act('answer', { 's/1/2': { result: 'yes' } });
    expect(result).toMatchObject({ status: 'finished', output: { output: [1, 'yes', 3] } });
    expect(effects()).toStrictEqual(['a 1', 'ask pay?', 'a 2', 's 2']);
    expect((await act('start', '[x, reply]')).result.output.output).toStrictEqual([1, 'yes']);
  });

  test('continues elsewhere after its host was killed in a tool, with that call in doubt', async () => {
    const broker = await openBroker();
    const { act, effects } = inProcesses({ servers: broker.url });
    expect(await act('start', 'const x = await a(1); [x, await waits()]')).toStrictEqual({ signal: 'SIGKILL' });
    await broker.kill();
    await broker.start();
    expect(await act('look')).toMatchObject({ waiting: [{ key: 's/1/2', name: 'waits', isInDoubt: true }] });
    const { result } = await act('answer', { 's/1/2': { approve: true } });
    expect(result.output.output).toStrictEqual([1, 'waits 2']);
    expect(effects()).toStrictEqual(['a 1', 'waits s/1/2 1', 'waits s/1/2 2']);
  });

  test('is continued by one of two hosts: the other one loses before it calls a tool', async () => {
    const broker = await openBroker();
    const called = [];
    const open = (name) => openOn(broker, 's', { tools: { act: async () => called.push(name) } });
    const [first, second] = [await open('first'), await open('second')];
    const results = await Promise.allSettled([first.run('await act()'), second.run('await act()')]);
    const lost = results.filter(({ status }) => status === 'rejected');
    expect(lost.map(({ reason }) => reason.code)).toStrictEqual(['ERR_JOURNAL_CONFLICT']);
    expect(called).toHaveLength(1);
    const loser = results[0].status === 'rejected' ? first : second;
    expect(loser.state).toBe('DEAD');
    await loser.init();
    expect((await loser.run('await act()')).output).toBe(2);
  });

  test('of two hosts that answer the same call at the same time, one continues', async () => {
    const broker = await openBroker();
    await expectOneAnswer((tools) => openOn(broker, 's', { tools }));
  });

  test('does not notice a broker that is killed during a run and returns within the time limit', async () => {
    const broker = await openBroker();
    const called = [];
    const tools = {
      act: async (n) => {
        called.push(n);
        if (n !== 2) return n;
        await broker.kill();
        await broker.start();
        return n;
      },
    };
    const session = await openOn(broker, 's', { tools });
    const { output } = await session.run('const got = []; for (let i = 1; i < 5; i++) got.push(await act(i)); got');
    expect([output, called]).toStrictEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
    await session.cleanup();
    const again = await openOn(broker, 's', { tools });
    expect((await again.run('got')).output).toStrictEqual([1, 2, 3, 4]);
    expect(called).toHaveLength(4);
  });

  test('ends when the broker stays unreachable: no tool is called, and nothing that was stored is lost', async () => {
    const broker = await openBroker();
    const called = [];
    const store = storeOn(broker, { timeoutMs: 300 });
    const tools = {
      stop: async () => {
        await broker.kill();
        return 'stopped';
      },
      act: async (n) => called.push(n),
    };
    const session = await openOn(broker, 's', { store, tools });
    await session.run('const x = await act(1)');
    const error = await rejection(session.run('await stop(); await act(2)'));
    expect(error).toMatchObject({ code: 'ERR_JOURNAL_INVALID', details: { flaw: 'store' } });
    expect(error.message).toMatch(/the broker at 127\.0\.0\.1:\d+ did not answer within 300 ms/);
    expect([called, session.state]).toStrictEqual([[1], 'DEAD']);
    expect(await rejection(session.init())).toMatchObject({ code: 'ERR_JOURNAL_INVALID', details: { flaw: 'store' } });
    await broker.start();
    const later = await openOn(broker, 's', { tools });
    expect(later.state).toBe('WAITING');
    expect(later.waiting).toMatchObject([{ name: 'stop', isInDoubt: true }]);
    const { output } = await later.answer({ 's/2/1': { result: 'stopped' } });
    expect([output.output, called]).toStrictEqual([2, [1, 2]]);
    expect((await later.run('x')).output).toBe(1);
  });

  test('continues when a broker that was silent answers again', async () => {
    const broker = await openBroker();
    const paused = deferred();
    const tools = {
      act: async (n) => {
        if (n === 1) {
          broker.pause();
          paused.resolve();
        }
        return n;
      },
    };
    const session = await openOn(broker, 's', { tools });
    const run = session.run('[await act(1), await act(2)]');
    await paused.promise;
    // The outage: longer than one attempt of the store waits.
    await new Promise((done) => setTimeout(done, 2_300));
    broker.resume();
    expect((await run).output).toStrictEqual([1, 2]);
    await session.cleanup();
    const entries = await all((await openOn(broker, 's', { tools })).history());
    expect(entries.filter(({ type }) => type === 'call')).toHaveLength(2);
  });
});

describe('an append', () => {
  test('whose answer is lost with the connection is stored once', async () => {
    const broker = await openBroker();
    let cuts = 0;
    const proxy = await proxyOf(
      broker,
      (data) => cuts > 0 && data.includes('"stream":"ses-journals","seq"') && cuts-- > 0,
    );
    const store = storeOn(proxy);
    await store.append('s', 0, bytes('a'));
    cuts = 1;
    expect(await store.append('s', 1, bytes('b', 'c'))).toBe(3);
    expect(cuts).toBe(0);
    expect(await store.append('s', 3, bytes('d'))).toBe(4);
    expect(await texts(store, 's')).toStrictEqual(['a', 'b', 'c', 'd']);
  });

  test('of a host that does not know of a newer entry is a conflict that names both numbers', async () => {
    const broker = await openBroker();
    const [one, other] = [storeOn(broker), storeOn(broker)];
    await one.append('s', 0, bytes('a'));
    await other.append('s', 1, bytes('b'));
    const error = await rejection(one.append('s', 1, bytes('c')));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.details).toMatchObject({ id: 's', expected: 1, actual: 2 });
    expect(await texts(other, 's')).toStrictEqual(['a', 'b']);
  });

  test('to a session that was removed and made again is a conflict, though it has as many entries', async () => {
    const broker = await openBroker();
    const [one, other] = [storeOn(broker), storeOn(broker)];
    await one.append('s', 0, bytes('a'));
    await other.remove('s');
    await other.append('s', 0, bytes('new'));
    const error = await rejection(one.append('s', 1, bytes('b')));
    expect(error.code).toBe('ERR_JOURNAL_CONFLICT');
    expect(error.message).toBe('Journal conflict: another host has replaced the session s');
    expect(await texts(other, 's')).toStrictEqual(['new']);
  });

  test('of many hosts at the same time succeeds once', async () => {
    const broker = await openBroker();
    const stores = Array.from({ length: 6 }, () => storeOn(broker));
    await stores[0].append('s', 0, bytes('first'));
    const results = await Promise.allSettled(stores.map((store, n) => store.append('s', 1, bytes(`host ${n}`))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const { reason } of results.filter(({ status }) => status === 'rejected')) {
      expect(reason.code).toBe('ERR_JOURNAL_CONFLICT');
    }
    expect(await texts(stores[0], 's')).toHaveLength(2);
  });

  test('larger than the broker takes in one message is stored whole, or not at all', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'small.conf');
    writeFileSync(config, 'host: 127.0.0.1\nmax_payload: 16384\n');
    const broker = await openBroker({ config });
    const store = storeOn(broker);
    const entries = Array.from({ length: 40 }, (_, n) => Buffer.alloc(5_000, n));
    expect(await store.append('s', 0, entries)).toBe(40);
    expect(await store.append('s', 40, [Buffer.alloc(300_000, 7)])).toBe(41);
    const read = await all(store.read('s', 1));
    expect(read.map((entry) => [entry.length, entry[0]])).toStrictEqual([
      ...entries.slice(1).map((_, n) => [5_000, n + 1]),
      [300_000, 7],
    ]);
    const blob = Buffer.from(Array.from({ length: 100_003 }, (_, n) => n % 251));
    await store.putBlob('s', 'digest', blob);
    expect(Buffer.from(await store.getBlob('s', 'digest')).equals(blob)).toBe(true);
    const { manager } = await strangerOn(broker);
    await manager.streams.purge('ses-journals-blobs', { filter: 'ses-journals-blobs.s.digest.3' });
    expect(await store.getBlob('s', 'digest')).toBeUndefined();
    expect((await rejection(store.append('s', 40, entries))).code).toBe('ERR_JOURNAL_CONFLICT');
  });
});

describe('messages that somebody else has written', () => {
  /** A message of a journal, with one part changed. */
  const message = ({ form = 1, first = 1, count = 1, body = [1, 0, 0, 0, 65] } = {}) => {
    const head = Buffer.alloc(25);
    head[0] = form;
    head.writeUInt32LE(first, 17);
    head.writeUInt32LE(count, 21);
    return Buffer.concat([head, Buffer.from(body)]);
  };

  test.each([
    ['are empty', Buffer.alloc(0)],
    ['are short', Buffer.from('not a journal')],
    ['have an unknown form', message({ form: 9 })],
    ['have no entry', message({ count: 0, body: [] })],
    ['leave entries out', message({ first: 2 })],
    ['repeat entries', message({ first: 0 })],
    ['promise more entries than they have', message({ count: 2 ** 32 - 1 })],
    ['have an entry that is longer than the message', message({ body: [255, 255, 255, 255, 65] })],
    ['have bytes after the last entry', message({ body: [1, 0, 0, 0, 65, 66] })],
    ['name a large value that is not there', message({ form: 2, body: Array(32).fill(1) })],
    ['name a large value by half a digest', message({ form: 2, body: Array(16).fill(1) })],
  ])('and %s are refused when they are read', async (_, data) => {
    const broker = await openBroker();
    const store = storeOn(broker);
    await store.append('s', 0, bytes('a'));
    const { js } = await strangerOn(broker);
    await js.publish('ses-journals.s', data);
    const error = await rejection(all(store.read('s')));
    expect(error.code).toBe('ERR_JOURNAL_INVALID');
    expect(error.details).toMatchObject({ flaw: 'form', entry: 1 });
  });

  test('in the form of a journal are refused by the session, whose journal is signed', async () => {
    const broker = await openBroker();
    const session = await openOn(broker, 's');
    await session.run('const x = 1');
    await session.cleanup();
    const store = storeOn(broker);
    const entries = await all(store.read('s'));
    await store.append('s', entries.length, [entries.at(-1)]);
    expect((await rejection(openOn(broker, 's'))).code).toBe('ERR_JOURNAL_INVALID');
  });

  test('about large values allocate no more than the store has', async () => {
    const broker = await openBroker();
    const store = storeOn(broker);
    await store.append('s', 0, bytes('a'));
    const { js } = await strangerOn(broker);
    const head = Buffer.alloc(9);
    for (const [count, length] of [
      [0, 0],
      [1, 2],
      [2 ** 32 - 1, 2 ** 32 - 1],
      [2 ** 32 - 1, 100],
      [512 << 20, 512 << 20],
      [1, 0],
    ]) {
      head.writeUInt32LE(count, 0);
      head.writeUInt32LE(length, 4);
      await js.publish('ses-journals-blobs.s.d.0', head);
      expect(await store.getBlob('s', 'd')).toBeUndefined();
    }
  });

  test('under names that are not ids are not listed', async () => {
    const broker = await openBroker();
    const store = storeOn(broker);
    await store.append('s', 0, bytes('a'));
    const { js } = await strangerOn(broker);
    await js.publish('ses-journals.=ZZ', message());
    expect(await all(store.list())).toStrictEqual([{ id: 's' }]);
  });
});

describe('the list of sessions that wait', () => {
  const tools = { ask: async (question) => waitForAnswer({ question }) };

  test('has a session from the call until its answer, for all hosts', async () => {
    const broker = await openBroker();
    const list = storeOn(broker);
    expect(await all(list.listWaiting())).toStrictEqual([]);
    const session = await openOn(broker, 'team/a.1', { tools });
    await session.start('const reply = await ask("pay?"); reply');
    const [found, ...others] = await all(list.listWaiting());
    expect(others).toStrictEqual([]);
    expect(found).toStrictEqual({
      id: 'team/a.1',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      calls: [{ key: 'team/a.1/1/1', name: 'ask', isInDoubt: false }],
    });
    await session.cleanup();
    expect(await all(list.listWaiting())).toHaveLength(1);
    const later = await openOn(broker, 'team/a.1', { tools });
    await later.answer({ 'team/a.1/1/1': { result: 'yes' } });
    expect(await all(list.listWaiting())).toStrictEqual([]);
  });

  test('can be watched: first what waits now, then each change', async () => {
    const broker = await openBroker();
    const session = await openOn(broker, 's', { tools });
    await session.start('await ask(1); await ask(2)');
    const controller = new AbortController();
    const seen = [];
    const watching = (async () => {
      for await (const { id, calls } of storeOn(broker).watchWaiting({ signal: controller.signal })) {
        seen.push([id, calls?.map(({ key }) => key)]);
      }
    })();
    await expect.poll(() => seen).toStrictEqual([['s', ['s/1/1']]]);
    await session.answer({ 's/1/1': { result: 1 } });
    await session.answer({ 's/1/2': { result: 2 } });
    await expect
      .poll(() => seen)
      .toStrictEqual([
        ['s', ['s/1/1']],
        ['s', ['s/1/2']],
        ['s', undefined],
      ]);
    controller.abort();
    await watching;
  });

  test('continues after the broker was killed', async () => {
    const broker = await openBroker();
    const session = await openOn(broker, 's', { tools });
    const seen = [];
    const store = storeOn(broker);
    const watching = (async () => {
      for await (const { id, calls } of store.watchWaiting()) seen.push(`${id} ${calls !== undefined}`);
    })();
    await session.start('await ask(1)');
    await expect.poll(() => seen).toStrictEqual(['s true']);
    await broker.kill();
    await broker.start();
    await session.answer({ 's/1/1': { result: 1 } });
    await expect.poll(() => seen).toContain('s false');
    await store.close();
    await watching;
  });

  test('is corrected when a session is opened: one that was given up, removed, or left by a host that ended', async () => {
    const broker = await openBroker();
    const list = storeOn(broker);
    const session = await openOn(broker, 's', { tools });
    await session.start('await ask(1)');
    await list.noteWaiting('s', undefined);
    await openOn(broker, 's', { tools });
    expect(await all(list.listWaiting())).toMatchObject([{ id: 's' }]);
    await session.revert();
    expect(await all(list.listWaiting())).toStrictEqual([]);
    await list.noteWaiting('s', { calls: [] });
    await (await openOn(broker, 's', { tools })).cleanup();
    expect(await all(list.listWaiting())).toStrictEqual([]);
    await session.start('await ask(1)');
    await list.remove('s');
    expect(await all(list.listWaiting())).toStrictEqual([]);
  });

  test('omits entries that this package did not write', async () => {
    const broker = await openBroker();
    const list = storeOn(broker);
    await list.noteWaiting('s', { calls: [{ key: 's/1/1', name: 'ask', isInDoubt: false }] });
    const { connection } = await strangerOn(broker);
    const bucket = await new Kvm(connection).open('ses-journals-waiting');
    for (const [key, value] of [
      ['a', 'not JSON'],
      ['b', 'null'],
      ['c', '{"calls":[]}'],
      ['=ZZ', '{"since":"now","calls":[]}'],
    ]) {
      await bucket.put(key, value);
    }
    expect((await all(list.listWaiting())).map(({ id }) => id)).toStrictEqual(['s']);
  });

  test('that cannot be written is a warning, and the session waits', async () => {
    const broker = await openBroker();
    const store = storeOn(broker);
    const failing = new Proxy(store, {
      get: (target, name) =>
        name === 'noteWaiting' ? () => Promise.reject(new Error('no space left')) : target[name]?.bind(target),
    });
    const warned = once(process, 'warning');
    const session = await openOn(broker, 's', { store: failing, tools });
    expect((await session.start('await ask(1)')).status).toBe('waiting');
    const [{ code, message }] = await warned;
    expect([code, message]).toStrictEqual([
      'SES_EXECUTOR_WAITING_LIST',
      'The list of sessions that wait is not up to date for s: no space left',
    ]);
  });
});

describe('a store', () => {
  test('refuses streams whose limits would remove parts of journals', async () => {
    const broker = await openBroker();
    const { manager } = await strangerOn(broker);
    await manager.streams.add({ name: 'short', subjects: ['short.*'], max_age: 1_000_000_000_000 });
    const error = await rejection(storeOn(broker, { name: 'short' }).append('s', 0, bytes('a')));
    expect(error.message).toBe('the stream short exists, and its limits would remove parts of journals');
  });

  test('that is closed opens its connection again', async () => {
    const broker = await openBroker();
    const store = storeOn(broker);
    await store.append('s', 0, bytes('a'));
    await store.close();
    expect(await store.append('s', 1, bytes('b'))).toBe(2);
  });

  test('takes user and password, or a token, from the address, and fails immediately if they are wrong', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'users.conf');
    const users = '[{ user: "a b", password: "p@ss" }]';
    writeFileSync(config, `host: 127.0.0.1\nauthorization { users: ${users} }\n`);
    const broker = await openBroker({ config });
    const withUser = (user) => ({ url: broker.url.replace('//', `//${user}@`) });
    expect(await storeOn(withUser('a%20b:p%40ss')).append('s', 0, bytes('a'))).toBe(1);
    for (const user of ['a%20b:wrong', 'token']) {
      const error = await rejection(storeOn(withUser(user), { timeoutMs: 60_000 }).append('s', 0, bytes('a')));
      expect(error.message).toMatch(/Authorization Violation/);
    }
    writeFileSync(config, 'host: 127.0.0.1\nauthorization { token: "a secret" }\n');
    const other = await openBroker({ config });
    expect(await storeOn({ url: other.url.replace('//', '//a%20secret@') }).append('s', 0, bytes('a'))).toBe(1);
  });

  test('takes a file of credentials, and one that is missing or of another operator fails immediately', async () => {
    const { config, credentials } = writeJwtConfig(temporaryFolder());
    const broker = await openBroker({ config });
    const store = storeOn(broker, { credentials });
    expect(await store.append('s', 0, bytes('a'))).toBe(1);
    await broker.kill();
    await broker.start();
    expect(await store.append('s', 1, bytes('b'))).toBe(2);
    const other = writeJwtConfig(temporaryFolder()).credentials;
    const limits = { timeoutMs: 60_000 };
    const error = await rejection(storeOn(broker, { ...limits, credentials: other }).append('s', 2, bytes('c')));
    expect(error.message).toMatch(/Authorization Violation/);
    const missing = join(temporaryFolder(), 'none.creds');
    const reason = await rejection(storeOn(broker, { ...limits, credentials: missing }).append('s', 2, bytes('c')));
    expect(reason.message).toMatch(/ENOENT.*none\.creds/);
  });

  test.each([
    [undefined, TypeError, 'options.servers must be an address or an array of them, got undefined'],
    [{}, TypeError, 'options.servers must be an address or an array of them'],
    [{ servers: [] }, TypeError, 'options.servers must be an address or an array of them'],
    [{ servers: 'broker:4222' }, TypeError, 'options.servers must be addresses such as'],
    [{ servers: 'http://broker' }, TypeError, 'options.servers must be addresses such as'],
    [{ servers: 'nats://u:secret@' }, TypeError, /^(?!.*secret).*options\.servers must be addresses such as/],
    [{ servers: 'nats://a:b@one,nats://two' }, TypeError, 'options.servers must have the same scheme'],
    [{ servers: 'nats://one', name: 'a.b' }, RangeError, 'options.name must have 1 to 64 ASCII letters'],
    [{ servers: 'nats://one', name: 5 }, TypeError, 'options.name must be a string'],
    [{ servers: 'nats://one', replicas: 2 }, RangeError, 'options.replicas must be 1, 3 or 5'],
    [{ servers: 'nats://one', timeoutMs: 0 }, RangeError, 'options.timeoutMs must be an integer'],
    [{ servers: 'nats://one', credentials: '' }, TypeError, 'options.credentials must be the path of a file'],
    [{ servers: 'nats://one', tls: { caFile: 1 } }, TypeError, 'options.tls.caFile must be the path of a file'],
    [{ servers: 'nats://one', url: 'nats://one' }, TypeError, 'url'],
  ])('with options %j is refused', (options, type, message) => {
    expect(() => natsStore(options)).toThrow(type);
    expect(() => natsStore(options)).toThrow(message);
  });
});
