// Messages that no client and no worker of this package sends, to either side. The attacker here uses the account of
// the victim, so it sees more than another tenant does.

import { describe, expect, test } from 'vitest';

import { expectCode } from '../helpers.mjs';
import { makeRemote, openFleet, until, waitingRun } from './helpers.mjs';
import { KIND, rawClient, readWord, word } from './raw-client.mjs';

const OTHER = 'f'.repeat(32);

/** A fleet, an attacker, and an executor with the subjects and the messages of its session. */
async function openVictim(options = {}, tools = {}) {
  const { broker, worker, remote } = await openFleet({ args: ['--spares', '0', '--capacity', '3'] });
  const attacker = await rawClient(broker.port);
  const sent = [];
  attacker.subscribe('ses.v1.>', (message) => sent.push(message));
  await attacker.flushed();
  const executor = await makeRemote(remote, options, tools);
  const first = await until(() => sent.find(({ subject }) => /\.s\.[0-9a-f]{32}$/.test(subject)));
  const ofSession = () => sent.filter(({ subject }) => subject === first.subject);
  return { broker, worker, remote, attacker, executor, subject: first.subject, inbox: first.reply, sent, ofSession };
}

/** Claims can still be served, and executors still work. */
async function expectWorks(remote) {
  const executor = await makeRemote(remote);
  expect((await executor.run('20 + 22')).output).toBe(42);
  await executor.cleanup();
}

describe('P25: a worker', () => {
  test('drops messages for a session that it does not have', async () => {
    const { attacker, executor, subject, remote } = await openVictim();
    attacker.publish(subject.replace(/[0-9a-f]{32}$/, OTHER), word(KIND.kill, 0));
    attacker.publish(subject.replace(/[0-9a-f]{32}$/, 'short'), word(KIND.kill, 0));
    await attacker.flushed();
    expect((await executor.run('1')).output).toBe(1);
    await expectWorks(remote);
  });

  test('drops messages of another tenant, also with the right token', async () => {
    const { attacker, executor, subject, remote } = await openVictim();
    attacker.publish(subject.replace('ses.v1.', 'ses.v1.t.other.'), word(KIND.kill, 0));
    attacker.publish(subject.replace('ses.v1.', 'ses.v1.t.other.'), Buffer.from('nonsense'));
    await attacker.flushed();
    expect((await executor.run('1')).output).toBe(1);
    await expectWorks(remote);
  });

  test('takes a repeated message once', async () => {
    const { attacker, executor, subject, inbox, ofSession } = await openVictim({}, { add: (a, b) => a + b });
    await executor.run('var count = 0');
    await executor.run('count++');
    for (const { bytes } of ofSession()) attacker.publish(subject, bytes, inbox);
    await attacker.flushed();
    expect((await executor.run('count')).output).toBe(1);
  });

  test.each([
    ['is too short', () => Buffer.from('abc')],
    ['has an unknown kind', () => word(99, 0)],
    ['is too long', () => word(KIND.data, 1_000_000, Buffer.alloc((64 << 10) + 1))],
    ['only workers send', (next) => word(KIND.lost, next, Buffer.from('x'))],
  ])('ends only the session of a client that sends a message that %s', async (_what, bytes) => {
    const { attacker, executor, subject, inbox, remote, ofSession } = await openVictim();
    const numbered = ofSession()
      .map((message) => readWord(message.bytes))
      .filter(({ kind }) => kind <= KIND.lost);
    attacker.publish(subject, bytes(Math.max(...numbered.map(({ number }) => number)) + 1), inbox);
    await until(() => executor.state === 'DIRTY');
    await expectCode(executor.run('1'), 'ERR_WORKER_LOST');
    await expectWorks(remote);
  });

  test('ends the session of a client that sends more than the process reads', async () => {
    const { attacker, executor, subject, inbox, remote, ofSession } = await openVictim();
    const run = executor.run('for (;;) {}', { maxOperations: 1e15, timeoutMs: 100_000 });
    const isRun = ({ bytes }) => readWord(bytes).kind === KIND.data;
    const before = ofSession().filter(isRun).length;
    await until(() => ofSession().filter(isRun).length > before);
    const numbered = ofSession()
      .map((message) => readWord(message.bytes))
      .filter(({ kind }) => kind <= KIND.lost);
    const next = Math.max(...numbered.map(({ number }) => number)) + 1;
    for (let at = 0; at < 40; at++)
      attacker.publish(subject, word(KIND.data, next + at, Buffer.alloc(64 << 10)), inbox);
    await expectCode(run, 'ERR_WORKER_LOST');
    await expectWorks(remote);
  });

  test('refuses claims and ignores pings that are malformed', async () => {
    const { attacker, worker, executor, sent, remote } = await openVictim();
    const answers = [];
    attacker.subscribe('_INBOX.attacker.>', ({ bytes }) => answers.push(readWord(bytes)));
    const claim = sent.find(({ subject }) => subject.includes('.open.'));
    const changed = (change) => Buffer.from(JSON.stringify({ ...JSON.parse(claim.bytes), ...change }));
    const claims = [
      Buffer.from('nonsense'),
      Buffer.alloc(100_000, 0x20),
      changed({ extra: 1 }),
      changed({ engine: 'none' }),
      changed({ memory_limit_bytes: 2 ** 40 }),
      changed({ environment: ['LD_PRELOAD=/tmp/x.so'] }),
      changed({ environment: ['TZ=/etc/passwd'] }),
    ];
    for (const bytes of claims) attacker.publish(claim.subject, bytes, '_INBOX.attacker.1');
    const ping = sent.find(({ subject }) => subject.endsWith('.ping'));
    for (const bytes of [Buffer.alloc(3), Buffer.alloc(30), Buffer.alloc(100_000)]) {
      attacker.publish(ping.subject, bytes, '_INBOX.attacker.2');
    }
    await until(() => answers.length >= claims.length);
    expect(answers.map(({ kind }) => kind)).toStrictEqual(claims.map(() => KIND.refused));
    expect(answers.map(({ payload }) => payload.toString())).toStrictEqual([
      ...Array.from({ length: 3 }, () => 'the claim is of another version'),
      'the worker has no engine none',
      'the worker allows sessions 1024 MB of memory at most',
      ...Array.from({ length: 2 }, () => 'the time zone or locale is not accepted'),
    ]);
    expect(worker.children).toHaveLength(1);
    expect((await executor.run('1')).output).toBe(1);
    await expectWorks(remote);
  });
});

describe('P25: a client', () => {
  test('ignores messages that are malformed, early, or for a session that it does not have', async () => {
    const { attacker, executor, inbox } = await openVictim();
    for (const bytes of [
      Buffer.from('abc'),
      word(99, 0),
      word(KIND.data, 1_000, Buffer.from('x')),
      word(KIND.ack, 9_999),
    ]) {
      attacker.publish(inbox, bytes);
      attacker.publish(inbox.replace(/s-\d+\.\d+$/, 's-9999.1'), bytes);
      attacker.publish(inbox.replace(/\.\d+$/, '.77'), bytes);
    }
    await attacker.flushed();
    expect((await executor.run('1')).output).toBe(1);
  });

  test('gives up only the session whose worker sends an invalid message', async () => {
    const { attacker, executor, inbox, remote } = await openVictim();
    const seen = [];
    attacker.subscribe(inbox, ({ bytes }) => seen.push(readWord(bytes)));
    await attacker.flushed();
    const { run, open } = await waitingRun(remote);
    await executor.run('1');
    await attacker.flushed();
    const next = Math.max(...seen.filter(({ kind }) => kind === KIND.data).map(({ number }) => number)) + 1;
    attacker.publish(inbox, word(KIND.data, next, Buffer.alloc(64, 0xff)));
    await until(() => executor.state === 'DIRTY');
    const { message } = await expectCode(executor.run('1'), 'ERR_WORKER_LOST');
    expect(message).toBe('Worker lost: the worker process sent an invalid message');
    open('done');
    expect((await run).output).toBe('done');
    await expectWorks(remote);
  });
});
