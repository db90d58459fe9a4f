// The configuration in deploy/ with a real broker: what one tenant can reach of another one and of the workers, which
// is nothing but its own sessions.

import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DurableSession, natsStore, waitForAnswer } from 'ses-executor/durable';
import { rejection } from '../helpers.mjs';
import { addressOf, connectAs, openDeployed } from './helpers.mjs';

const OPEN = 'ses.v1.f13.open.default';
const SESSION = 'ses.v1.w.W1.s.0123456789abcdef0123456789abcdef';

/** What a worker does on the network: takes messages, and may answer each of them. */
async function workerOn(broker, answer = () => {}) {
  const { connection, errors } = await connectAs(broker, 'worker');
  const seen = [];
  for (const subject of ['ses.v1.t.*.>', 'ses.v1.w.W1.>']) {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return errors.push(error.message);
        seen.push({ subject: message.subject, text: message.string(), reply: message.reply });
        answer(message);
      },
    });
  }
  await connection.flush();
  return { connection, errors, seen };
}

/** Waits until the broker has handled everything that a client has sent, and the worker has got it. */
async function settle(...clients) {
  for (const { connection } of [...clients, ...clients]) await connection.flush();
}

describe('the tenants of deploy/', () => {
  test('reach the workers under their own name, and get any number of answers to one request', async () => {
    const broker = await openDeployed();
    const worker = await workerOn(broker, (message) => {
      for (let n = 0; n < 200; n++) message.respond(`${message.string()} ${n}`);
    });
    const got = [];
    const { connection } = await connectAs(broker, 'acme');
    connection.subscribe('_INBOX.acme.1', { callback: (error, message) => got.push(message.string()) });
    connection.publish(OPEN, 'hello', { reply: '_INBOX.acme.1' });
    await expect.poll(() => got.length).toBe(200);
    expect([got[0], got[199]]).toStrictEqual(['hello 0', 'hello 199']);
    expect(worker.seen.map(({ subject }) => subject)).toStrictEqual([`ses.v1.t.acme.${OPEN.slice('ses.v1.'.length)}`]);
    expect(worker.errors).toStrictEqual([]);
  });

  test('learn from the broker when no worker takes a request', async () => {
    const broker = await openDeployed();
    const { connection } = await connectAs(broker, 'acme');
    const error = await rejection(connection.request(OPEN, 'hello', { timeout: 10_000 }));
    expect(error.message).toMatch(/no responders/);
  });

  test('cannot name another tenant: a guessed subject of a session arrives under the name of the sender', async () => {
    const broker = await openDeployed();
    const worker = await workerOn(broker);
    const acme = await connectAs(broker, 'acme');
    acme.connection.publish(SESSION, 'guessed');
    acme.connection.publish(`ses.v1.t.globex.${SESSION.slice('ses.v1.'.length)}`, 'with the name of the other');
    await settle(acme, worker);
    await expect.poll(() => worker.seen.length).toBe(2);
    expect(worker.seen.map(({ subject }) => subject)).toStrictEqual([
      `ses.v1.t.acme.${SESSION.slice('ses.v1.'.length)}`,
      `ses.v1.t.acme.t.globex.${SESSION.slice('ses.v1.'.length)}`,
    ]);
  });

  test('cannot see what others send, to the workers or to themselves', async () => {
    const broker = await openDeployed();
    const worker = await workerOn(broker, (message) => message.respond('answer'));
    const acme = await connectAs(broker, 'acme');
    const seen = [];
    for (const subject of ['>', 'ses.>', 'ses.v1.w.>', '_R_.>', '$SYS.>', '$JS.API.>', '_INBOX.>']) {
      acme.connection.subscribe(subject, {
        callback: (error, message) => error === null && seen.push(message.subject),
      });
    }
    await acme.connection.flush().catch(() => {});
    const globex = await connectAs(broker, 'globex');
    const { data } = await globex.connection.request(OPEN, 'secret', { timeout: 10_000 });
    expect(Buffer.from(data).toString()).toBe('answer');
    await settle(globex, worker, acme);
    expect(seen).toStrictEqual([]);
    // All but its own inbox.
    await expect.poll(() => acme.errors.filter((text) => text.includes('Subscription')).length).toBe(6);
  });

  test('cannot write to the inbox of another one, nor answer in the place of a worker', async () => {
    const broker = await openDeployed();
    const replies = [];
    const worker = await workerOn(broker, ({ reply }) => replies.push(reply));
    const got = [];
    const globex = await connectAs(broker, 'globex');
    globex.connection.subscribe('_INBOX.globex.1', { callback: (error, message) => got.push(message.string()) });
    globex.connection.publish(OPEN, 'hello', { reply: '_INBOX.globex.1' });
    await expect.poll(() => replies.length).toBe(1);
    const acme = await connectAs(broker, 'acme');
    acme.connection.publish('_INBOX.globex.1', 'forged inbox');
    // Even if it knew the subject that the worker answers to.
    acme.connection.publish(replies[0], 'forged response');
    acme.connection.publish(OPEN, 'forged reply', { reply: '_INBOX.globex.1' });
    await settle(acme);
    await expect.poll(() => replies.length).toBe(2);
    // The answers go to the account that asked.
    worker.connection.publish(replies[1], 'to acme');
    worker.connection.publish(replies[0], 'to globex');
    await expect.poll(() => got).toStrictEqual(['to globex']);
    await settle(worker, acme, globex);
    expect(got).toStrictEqual(['to globex']);
    expect(acme.errors.filter((text) => text.includes('Publish'))).toHaveLength(1);
    expect(worker.errors).toStrictEqual([]);
  });

  test('cannot import or export, and see no account but their own', async () => {
    const broker = await openDeployed();
    const acme = await connectAs(broker, 'acme');
    for (const subject of ['$SYS.REQ.ACCOUNT.PING', '$SYS.REQ.SERVER.PING', '$SYS.REQ.USER.INFO']) {
      const error = await rejection(acme.connection.request(subject, '', { timeout: 10_000 }));
      expect(error.message).toMatch(/Permissions Violation for Publish/);
    }
  });

  test('keep journals that the others, and the workers, cannot find', async () => {
    const broker = await openDeployed();
    const keys = { sign: 'a key for tests' };
    const storeOf = (user) => {
      const store = natsStore({ servers: addressOf(broker, user) });
      onTestFinished(() => store.close());
      return store;
    };
    const tools = { ask: async () => waitForAnswer() };
    const acme = storeOf('acme');
    const session = await DurableSession.open('order', { store: acme, keys, tools });
    onTestFinished(() => session.cleanup());
    await session.start('await ask()');
    const list = async (items) => {
      const ids = [];
      for await (const { id } of items) ids.push(id);
      return ids;
    };
    expect([await list(acme.list()), await list(acme.listWaiting())]).toStrictEqual([['order'], ['order']]);
    const globex = storeOf('globex');
    expect([await list(globex.list()), await list(globex.listWaiting())]).toStrictEqual([[], []]);
    // Their session of the same id is another one.
    const other = await DurableSession.open('order', { store: globex, keys, tools });
    onTestFinished(() => other.cleanup());
    expect((await other.run('typeof reply')).output).toBe('undefined');
    const error = await rejection(storeOf('worker').append('order', 0, []));
    expect(error.message).toMatch(/Permissions Violation/);
    const manager = await jetstreamManager((await connectAs(broker, 'globex')).connection);
    expect((await manager.streams.info('ses-journals')).state.messages).toBeGreaterThan(0);
    expect(await list(globex.list())).toStrictEqual(['order']);
    await globex.remove('order');
    expect(await list(acme.list())).toStrictEqual(['order']);
  });
});

describe('the workers of deploy/', () => {
  test('can only answer: they cannot send to tenants that have not asked, to other workers, or to journals', async () => {
    const broker = await openDeployed();
    const worker = await workerOn(broker);
    const other = await workerOn(broker);
    const acme = await connectAs(broker, 'acme');
    const got = [];
    acme.connection.subscribe('_INBOX.>', { callback: (error, message) => got.push(message.string()) });
    await acme.connection.flush();
    for (const subject of [OPEN, SESSION, '_R_.guess.ed', 'ses.v1.t.acme.x', '$JS.API.INFO']) {
      worker.connection.publish(subject, 'forged');
    }
    worker.connection.publish('_INBOX.acme.1', 'forged');
    await settle(worker, other, acme);
    await expect.poll(() => worker.errors.length).toBe(5);
    expect([got, other.seen]).toStrictEqual([[], []]);
  });
});

describe('the broker of deploy/', () => {
  test.each([
    ['nobody', {}],
    ['a wrong password', { user: 'acme', pass: 'password-of-globex' }],
    ['an unknown user', { user: 'initech', pass: 'password-of-acme' }],
    ['a token', { token: 'password-of-acme' }],
  ])('refuses %s', async (_, credentials) => {
    const broker = await openDeployed();
    const error = await rejection(connect({ servers: broker.url, reconnect: false, ...credentials }));
    expect(error.message).toMatch(/Authorization Violation/);
  });

  test('lets the operator ask for the status, and for nothing else', async () => {
    const broker = await openDeployed();
    const { connection } = await connectAs(broker, 'worker');
    connection.subscribe('ses.v1.status.default', { callback: (error, message) => message.respond('{}') });
    await connection.flush();
    const operator = await connectAs(broker, 'operator');
    expect((await operator.connection.request('ses.v1.status.default', '', { timeout: 10_000 })).string()).toBe('{}');
    const error = await rejection(operator.connection.request(OPEN, '', { timeout: 10_000 }));
    expect(error.message).toMatch(/Permissions Violation for Publish/);
  });
});
