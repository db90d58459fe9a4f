// `ses-executor sessions` and `ses-executor replay`.

import { createHmac } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { createCodeTool } from 'ses-executor/code-tool';
import { natsStore, waitForAnswer } from 'ses-executor/durable';
import { openBroker } from '../broker.mjs';
import { spawnNode } from '../helpers.mjs';
import { KEYS, all, inFolder, openSession, temporaryFolder } from './helpers.mjs';

/** Runs the command line on the sessions of a folder. */
function cliOf(folder, env = { SES_EXECUTOR_JOURNAL_KEY: KEYS.sign }) {
  return async (...args) => {
    const { status, stdout, stderr } = await spawnNode(['bin/ses-executor.js', ...args], { env });
    return { status, stdout, stderr };
  };
}

/** A folder with a session that waits. */
async function waitingFolder() {
  const folder = temporaryFolder();
  const tools = { ask: async (question) => waitForAnswer({ question }), add: async (n) => n + 1 };
  const session = await openSession('order/7', { ...inFolder(folder), tools });
  await session.run('let n = await add(1)');
  await session.start('const reply = await ask("pay?"); console.log("logged"); [n, reply]');
  await session.cleanup();
  return { folder, cli: cliOf(folder), store: ['--store', folder] };
}

test('sessions are listed, shown, answered, forked and removed', async () => {
  const { folder, cli, store } = await waitingFolder();
  expect(await cli('sessions', 'list', ...store)).toStrictEqual({ status: 0, stdout: 'order/7\n', stderr: '' });
  const shown = await cli('sessions', 'show', 'order/7', ...store);
  expect(shown.stdout).toMatch(/^\d+ run 2 call .*"pay\?"/m);

  expect(await cli('sessions', 'fork', 'order/7', 'other', ...store)).toStrictEqual({
    status: 0,
    stdout: 'other\n',
    stderr: '',
  });
  const answered = await cli('sessions', 'answer', 'order/7', 'order/7/2/1', '--result', '"yes"', ...store);
  expect(answered).toStrictEqual({ status: 0, stdout: "[ 2, 'yes' ]\n", stderr: '' });
  const stale = await cli('sessions', 'answer', 'order/7', 'order/7/2/1', '--result', '"no"', ...store);
  expect(stale.stdout).toBe('no call is waiting for this answer any more\n');

  const failed = await cli('sessions', 'answer', 'other', 'other/2/1', '--error', 'not today', ...store);
  expect([failed.status, failed.stderr.split('\n')[0]]).toStrictEqual([
    1,
    expect.stringContaining('ERR_TOOL_PROXY_FAIL'),
  ]);
  const json = await cli('sessions', 'list', '--json', ...store);
  expect(JSON.parse(json.stdout).sort()).toStrictEqual(['order/7', 'other']);
  expect((await cli('sessions', 'remove', 'order/7', ...store)).status).toBe(0);
  expect(readdirSync(folder)).toStrictEqual(['other.journal']);
});

test('sessions on a broker are listed, answered and removed', async () => {
  const broker = await openBroker();
  const store = natsStore({ servers: broker.url });
  onTestFinished(() => store.close());
  const tools = { ask: async () => waitForAnswer() };
  const session = await openSession('order/7', { store, keys: KEYS, tools });
  await session.start('await ask()');
  const cli = cliOf('.');
  const at = ['--store', broker.url];
  expect(await cli('sessions', 'list', ...at)).toStrictEqual({ status: 0, stdout: 'order/7\n', stderr: '' });
  const answered = await cli('sessions', 'answer', 'order/7', 'order/7/1/1', '--result', '"yes"', ...at);
  expect(answered).toStrictEqual({ status: 0, stdout: 'yes\n', stderr: '' });
  expect((await cli('sessions', 'remove', 'order/7', ...at)).status).toBe(0);
  expect((await cli('sessions', 'list', ...at)).stdout).toBe('');
  const secret = broker.url.replace('//', '//user:secret@');
  expect(await cli('sessions', 'show', 'none', '--store', secret)).toStrictEqual({
    status: 2,
    stdout: '',
    stderr: `ses-executor: there is no session "none" in broker 127.0.0.1:${broker.port}\nRun \`ses-executor --help\` for usage.\n`,
  });
  await broker.stop();
  const { status, stderr } = await cli('sessions', 'list', '--store', secret);
  expect([status, stderr]).toStrictEqual([
    1,
    expect.stringMatching(
      /^ses-executor: the broker at 127\.0\.0\.1:\d+ did not answer within 10000 ms: connection refused\n/,
    ),
  ]);
});

test('an approval calls the tool of --tools', async () => {
  const { folder, cli, store } = await waitingFolder();
  const tools = join(folder, 'tools.mjs');
  writeFileSync(
    tools,
    'export const ask = async (question) => `approved ${question}`; export const add = async () => 0;',
  );
  const args = ['sessions', 'answer', 'order/7', 'order/7/2/1', '--approve', '--tools', tools, ...store];
  expect((await cli(...args)).stdout).toBe("[ 2, 'approved pay?' ]\n");
});

test('an approved plan covers the calls in it, and `show` has its text', async () => {
  const folder = temporaryFolder();
  const pay = { needsApproval: true, execute: ({ n }) => n };
  const session = await openSession('s', inFolder(folder));
  const code =
    'const paid = [];\nfor (const n of [1, 2]) paid.push(await pay({ n }));\npaid.push(await pay({ n: paid.length }));\npaid';
  const { waiting } = await createCodeTool({ tools: { pay }, executor: session }).execute(code);
  expect(waiting.map(({ key, args }) => [key, args])).toStrictEqual([['s/1/1', [{ n: 1 }]]]);
  await session.cleanup();
  const file = join(folder, 'tools.mjs');
  writeFileSync(file, 'export const pay = { needsApproval: true, execute: ({ n }) => `paid ${n}` };');
  const cli = cliOf(folder);
  const store = ['--store', folder];
  expect((await cli('sessions', 'show', 's', ...store)).stdout).toContain(
    [
      '  The program can call 1 tool:',
      '  - pay: at most 3 times',
      '      line 2: pay({ n: 1 | 2 }) at most 2 times',
      '      line 3: pay({ n: … })',
      '',
    ].join('\n'),
  );
  const answer = (...decision) => cli('sessions', 'answer', 's', 's/1/1', ...decision, '--tools', file, ...store);
  const both = await answer('--approve', '--approve-plan');
  expect([both.status, both.stderr]).toStrictEqual([
    2,
    expect.stringContaining('answer needs one of --result, --error, --approve and --approve-plan'),
  ]);
  expect(await answer('--approve-plan')).toStrictEqual({
    status: 0,
    stdout: "[ 'paid 1', 'paid 2', 'paid 2' ]\n",
    stderr: '',
  });
});

test('an approval of one call leaves the next one of a tool with needsApproval waiting', async () => {
  const folder = temporaryFolder();
  const pay = { needsApproval: true, execute: ({ n }) => n };
  const session = await openSession('s', inFolder(folder));
  await createCodeTool({ tools: { pay }, executor: session }).execute('[await pay({ n: 1 }), await pay({ n: 2 })]');
  await session.cleanup();
  const file = join(folder, 'tools.mjs');
  writeFileSync(file, 'export const pay = { needsApproval: true, execute: ({ n }) => n };');
  const args = ['sessions', 'answer', 's', 's/1/1', '--approve', '--tools', file, '--store', folder];
  expect((await cliOf(folder)(...args)).stdout).toBe('s/1/2 pay({"n":2}) waits\n');
});

test('replay says what a journal contains, or what is wrong with it', async () => {
  const { folder, cli } = await waitingFolder();
  const path = join(folder, 'order%2F7.journal');
  const { status, stdout } = await cli('replay', path);
  expect([status, stdout]).toStrictEqual([
    0,
    expect.stringMatching(/^order\/7: 2 runs, \d+ entries: no differences\n$/),
  ]);
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(path, bytes);
  const broken = await cli('replay', path, '--json');
  expect([broken.status, JSON.parse(broken.stdout).error.code]).toStrictEqual([1, 'ERR_JOURNAL_INVALID']);
  const foreign = await cliOf(folder, { SES_EXECUTOR_JOURNAL_KEY: 'another' })('replay', path);
  expect(foreign.status).toBe(1);
});

/** Changes the text of a journal as somebody who has its key: all of its codes are right. */
function forge(path, id, before, after) {
  const bytes = readFileSync(path);
  const uint64 = (value) => {
    const field = Buffer.alloc(8);
    field.writeBigUInt64LE(BigInt(value));
    return field;
  };
  let at = bytes.indexOf(10) + 1;
  const written = [bytes.subarray(0, at)];
  let mac = Buffer.alloc(32);
  for (let number = 0; at < bytes.length; number++) {
    // Without the mark of entries that were appended together.
    const size = bytes.readUInt32LE(at) % 2 ** 31;
    const entry = bytes.subarray(at + 4, at + 4 + size);
    const text = entry.subarray(1, -32).toString('latin1').replace(before, after);
    const frame = Buffer.from(text, 'latin1');
    const hmac = createHmac('sha256', KEYS.sign).update(uint64(id.length)).update(id).update(uint64(number));
    mac = hmac.update(mac).update(frame).digest();
    written.push(bytes.subarray(at, at + 4), entry.subarray(0, 1), frame, mac);
    at += 4 + size;
  }
  writeFileSync(path, Buffer.concat(written));
}

/** 300 answers of this size are more than 16 MiB, and none is kept apart. */
const CHUNK = 'x'.repeat(60_000);
const READING = 'for (let i = 0; i < 300; i++) n += (await read()).length; undefined';
const FIRST = 'let n = 1; console.log("before"); undefined';
const OF_RUN = (run) => ({ type: 'log', level: 'log', message: run });

// Only what comes after the last restart was replayed, and nothing of a run that waits.
test.each([
  ['a run that has ended', [FIRST, 'n'], {}, 1],
  ['a run that waits', ['1', 'let n = 1; await add(n); console.log("before"); await ask("pay?")'], {}, 2],
  ['a run that waits for several calls', ['console.log("before"); await Promise.all([ask(1), ask(2), add(1)])'], {}, 1],
  ['a run before a checkpoint', [FIRST, READING, 'n'], {}, 1],
  ['a run before data were kept', [FIRST, 'n'], { from: 'data' }, 1],
])('replay finds that %s is not what happened', async (_, programs, more, run) => {
  const folder = temporaryFolder();
  const tools = { ask: async () => waitForAnswer(), add: async (n) => n + 1, read: async () => CHUNK };
  const options = { ...inFolder(folder), tools, executor: { maxToolCalls: 1000 } };
  const session = await openSession('s', options);
  for (const program of programs) await session.start(program);
  await session.cleanup();
  const restarts = (await all(session.history())).filter(({ type }) => type === 'restart').length;
  expect(restarts).toBe(programs.includes(READING) ? 1 : 0);
  if (more.from !== undefined) {
    const again = await openSession('s', { ...options, ...more });
    await again.run('n');
    await again.cleanup();
  }
  const [cli, path] = [cliOf(folder), join(folder, 's.journal')];
  expect(await cli('replay', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('no differences') });
  forge(path, 's', 'console.log("before")', 'console.log("behind")');
  const { status, stdout } = await cli('replay', path, '--json');
  const { code, details } = JSON.parse(stdout).error;
  expect([status, code, details.run]).toStrictEqual([1, 'ERR_REPLAY_DIVERGED', run]);
  expect(details).toMatchObject({ expected: OF_RUN('before'), actual: OF_RUN('behind') });
  const log = (await all(session.history())).find(({ type }) => type === 'log');
  expect(details.entry).toBe(log.number);
  expect((await cli('replay', path)).stderr).toContain(
    `in entry ${log.number} of run ${run}\n  recorded: {"type":"log","level":"log","message":"before"}\n  now: {"type":"log","level":"log","message":"behind"}`,
  );
});

test('replay does not repeat what the session has given up', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 's.journal');
  const options = inFolder(folder);
  const session = await openSession('s', options);
  await session.run('let n = 1; undefined');
  await session.run('n = 2; console.log("before")');
  await session.cleanup();
  forge(path, 's', 'console.log("before")', 'console.log("behind")');
  const again = await openSession('s', { ...options, from: 'data' });
  expect([again.recovery.run, (await again.run('n')).output]).toStrictEqual([1, 1]);
  await again.cleanup();
  expect(await cliOf(folder)('replay', path)).toMatchObject({ status: 0, stderr: '' });
});

test.each([
  [['sessions'], 'sessions must be followed by one of these: list, show, answer, fork, remove'],
  [['sessions', 'look', '--store', '.'], 'sessions must be followed by one of these: list, show, answer, fork, remove'],
  [['sessions', 'list'], '--store is missing: the folder, the .db file or the broker of the sessions'],
  [['sessions', 'show', '--store', '.'], 'expected: sessions show <id>'],
  [['sessions', 'show', 'none', '--store', '.'], 'there is no session "none" in .'],
  [['sessions', 'show', 'none', '--store', './a@b'], 'there is no session "none" in ./a@b'],
  [
    ['sessions', 'answer', 'a', 'b', '--store', '.'],
    'answer needs one of --result, --error, --approve and --approve-plan',
  ],
  [['replay', 'package.json'], 'replay takes one file of fileStore(), such as sessions/order-7.journal'],
])('wrong usage has status 2: %j', async (args, message) => {
  const { status, stderr } = await cliOf('.')(...args);
  expect([status, stderr.split('\n')[0]]).toStrictEqual([2, `ses-executor: ${message}`]);
});
