// A worker process that says what no worker says, or nothing: it is ended, and the host has a coded error. The worker
// is a script in the place of the program, in a copy of the package.

import { cpSync, linkSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';
import { isLinux } from './helpers.mjs';

const PACKAGE = ['index.js', 'index.mjs', 'build', 'native.cjs', 'package.json'];
/** The copy of the package. */
let folder;
const NONSENSE = 'Worker lost: the worker process sent an invalid message';

/** A frame of session 1: `u32 length | u8 kind | u32 session | body`. */
function frame(kind, ...body) {
  const bytes = Buffer.concat(body.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(9);
  head.writeUInt32LE(5 + bytes.length, 0);
  head.writeUInt8(kind, 4);
  head.writeUInt32LE(1, 5);
  return Buffer.concat([head, bytes]);
}

const u32 = (value) => Uint8Array.of(value, value >> 8, value >> 16, value >> 24);
const u64 = (value) => [...u32(value), 0, 0, 0, 0];
const text = (value) => [...u32(value.length), ...Buffer.from(value, 'latin1')];
/** What the host speaks: `VERSION` of crates/protocol/src/frames. */
const VERSION = 13;
const hello = (version = VERSION, landlock = 1, seccomp = 1) => frame(0x81, u32(version), [landlock, seccomp]);
const INITIALIZED = frame(0x82, [0]);
/** A job that went well without a value, and was sound. */
const settled = (job) => frame(0x83, u64(job), [0, 0], u64(0), u64(0), u64(0), u64(0), [1]);
/** The same with a value that is this wire. */
const gave = (job, wire) => frame(0x83, u64(job), [0, 1, 7], text(wire), [0], u64(0), u64(0), u64(0), u64(0), [1]);
/** The same that failed, with these details. */
const failed = (job, details) =>
  frame(0x83, u64(job), [1, 6], text('cause'), text(details), [0], u64(0), u64(0), u64(0), u64(0), [1]);
const toolCall = (id, args = [0, ...u32(0)]) => frame(0x85, u32(1), u64(id), u32(1), [1], args, u64(1));
const logged = (job, message) => frame(0x86, u64(job), [0], new Uint8Array(8), text(message));

/**
 * What an executor makes of a worker that answers the n-th time that it is written to with the n-th of `answers`; the
 * first is its greeting.
 *
 * @returns {Promise<string>} the outcome of `init()`, and of `run('1')` if that succeeded, with its log
 */
async function hostOf(answers, options = {}) {
  const program = `#!${process.execPath}
    const { writeSync } = require('node:fs');
    const answers = ${JSON.stringify(answers.map((answer) => answer.toString('base64')))};
    const answer = () => answers.length > 0 && writeSync(1, Buffer.from(answers.shift(), 'base64'));
    answer();
    process.stdin.on('data', answer).on('end', () => process.exit());
  `;
  rmSync(join(folder, 'ses-executor-worker'), { force: true });
  if (options.program !== null) writeFileSync(join(folder, 'ses-executor-worker'), program, { mode: 0o755 });
  const { status, stdout, stderr } = await spawnNode([
    '--input-type=module',
    '--eval',
    `
    import { SESExecutor } from '${join(folder, 'index.mjs')}';
    const executor = new SESExecutor({ isolation: 'process', spares: 0, ...${JSON.stringify(options.executor ?? {})} });
    const report = (step) => (error) => [step, error.code, error.message, executor.state, error.logs?.length].join(' | ');
    let told = await executor.init().then(() => undefined, report('init'));
    told ??= await executor.run('1').then(({ output, logs }) => 'output ' + output + ' | ' + logs.length, report('run'));
    console.log(told);
    await executor.cleanup();
    console.log(executor.state, executor.isolation.pid);
    `,
  ]);
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  const [told, after] = stdout.trimEnd().split('\n');
  expect(after).toBe('DEAD undefined');
  return told.replaceAll(folder, '<folder>');
}

describe.runIf(isLinux)('P9 a worker', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ses-executor-test-'));
    for (const path of PACKAGE) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    const addon = readdirSync(ROOT).find((name) => name.endsWith('.node'));
    linkSync(join(ROOT, addon), join(folder, addon));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('that follows the protocol is accepted', async () => {
    const log = [logged(1, 'one'), logged(1, 'two'), settled(1)];
    expect(await hostOf([hello(), INITIALIZED, Buffer.concat(log)])).toBe('output undefined | 7');
  });

  test('may send frames in parts and together', async () => {
    const all = Buffer.concat([hello(), INITIALIZED]);
    expect(await hostOf([all.subarray(0, 3), all.subarray(3), settled(1)])).toBe('output undefined | 0');
  });

  test('may send values that the native side prepares', async () => {
    const map = `\xff\x0f;${'I\x02T'.repeat(600)}:\xb0\x09`;
    expect(await hostOf([hello(), INITIALIZED, gave(1, map)])).toBe('output [object Map] | 0');
  });

  test('that does not exist is reported', async () => {
    const reason =
      'SES init failed: <folder>/ses-executor-worker cannot be started: No such file or directory (os error 2)';
    expect(await hostOf([], { program: null })).toBe(`init | ERR_SES_INIT_FAILED | ${reason} | DEAD | `);
  });

  test('of another version is refused', async () => {
    const reason = 'Worker lost: the worker process is of another version of ses-executor';
    expect(await hostOf([hello(1)])).toBe(`init | ERR_WORKER_LOST | ${reason} | DEAD | `);
  });

  test.each([
    [0, 0, 'landlock and seccomp'],
    [0, 1, 'landlock'],
    [1, 0, 'seccomp'],
  ])('without the required sandbox is refused: landlock %i, seccomp %i', async (landlock, seccomp, missing) => {
    const greeting = hello(VERSION, landlock, seccomp);
    const reason = `SES init failed: sandbox is "required", but this system has no ${missing}`;
    const required = { executor: { sandbox: 'required' } };
    expect(await hostOf([greeting, INITIALIZED], required)).toBe(`init | ERR_SES_INIT_FAILED | ${reason} | DEAD | `);
    expect(await hostOf([greeting, INITIALIZED, settled(1)])).toBe('output undefined | 0');
  });

  test.each([
    ['noise', Buffer.alloc(64, 0xff)],
    ['text', Buffer.from('Segmentation fault: the quick brown fox jumps\n')],
    ['an event before the greeting', INITIALIZED],
    ['a greeting that is too long', frame(0x81, new Uint8Array(65))],
    ['a frame that claims 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x81, 1, 0, 0, 0])],
    ['a frame that is shorter than its header', Buffer.from([1, 0, 0, 0, 0x81, 1, 0, 0, 0])],
    ['two greetings', Buffer.concat([hello(), hello()])],
    ['a tool call in init()', Buffer.concat([hello(), toolCall(1)])],
  ])('that greets with %s is lost', async (_, greeting) => {
    expect(await hostOf([greeting])).toBe(`init | ERR_WORKER_LOST | ${NONSENSE} | DEAD | `);
  });

  test.each([
    ['an unknown kind', frame(0xff)],
    ["the host's own kind", frame(0x06)],
    ['a frame with more than its body', frame(0x82, [0, 0])],
    ['an event sent twice', INITIALIZED],
    ['the end of an unknown job', settled(2)],
    ['an event that this version does not have', frame(0x84, [0])],
    ['a log of another job', logged(2, 'x')],
    ['an unknown level', frame(0x86, u64(1), [5], new Uint8Array(8), text('x'))],
    ['a string that is not UTF-8', frame(0x86, u64(1), [0], new Uint8Array(8), u32(2), [0xff, 0xff])],
    ['a list that is longer than its frame', frame(0x85, u64(1), u32(1), [1], [0], u32(0xffffffff))],
    ['more tool calls than allowed', Buffer.concat([1, 2, 3, 4].map((id) => toolCall(id)))],
    ['a frame beyond all limits', Buffer.from([0, 0, 0, 0x40, 0x86, 1, 0, 0, 0])],
    ['arguments that are not an array', toolCall(1, [1, ...text('\xff\x0f0')])],
    ['missing arguments', toolCall(1, [1, ...text('')])],
    ['a list of more arguments than allowed', toolCall(1, [0, ...u32(17), ...new Uint8Array(17)])],
    ['an invalid value', gave(1, '')],
    ['an array without its elements', gave(1, `\xff\x0fA\x7f${'A\x7f'.repeat(63)}`)],
    ['a string without an end', gave(1, `\xff\x0frm"${'\x80'.repeat(200)}\0.`)],
    ['a value that is already in slices', gave(1, '\xfe\xff\x0f\x7f\x02o{\0\x01o"\x06lengthI\x7f{\x01\0')],
    ['a log without a time', frame(0x86, u64(1), [0], [0, 0, 0, 0, 0, 0, 0xf8, 0x7f], text('x'))],
    ['invalid findings', failed(1, '{"diagnostics":5}')],
    ['the report that it has closed', frame(0x87, [0])],
    ['the report that it was lost', frame(0x8d, text('gone'))],
  ])('that answers a run with %s is lost', async (_, answer) => {
    const options = { executor: { maxToolCalls: 3 } };
    const told = await hostOf([hello(), INITIALIZED, answer], options);
    expect(told).toBe(`run | ERR_WORKER_LOST | ${NONSENSE} | DIRTY | 0`);
  });

  test('that ends in the middle of a frame is lost', async () => {
    const program = settled(1).subarray(0, 20);
    const told = await hostOf([hello(), INITIALIZED, program], { executor: { timeoutMs: 300 } });
    expect(told).toBe('run | ERR_EXEC_TIMEOUT | Execution timed out after 300ms | DIRTY | 0');
  });

  test.each([
    ['the current run', { maxCpuMs: 50 }, 1, 'run | ERR_EXEC_TIMEOUT | Execution timed out after 60000ms | DIRTY | 0'],
    ['another run', { maxCpuMs: 50 }, 2, 'output undefined | 0'],
    ['a run without a limit', {}, 1, 'output undefined | 0'],
  ])(
    'that reports used-up processor time is believed only for its current run: %s',
    async (_, limits, job, expected) => {
      const answer = Buffer.concat([frame(0x90, u64(job)), settled(1)]);
      const options = { executor: { timeoutMs: 60_000, ...limits } };
      expect(await hostOf([hello(), INITIALIZED, answer], options)).toBe(expected);
    },
  );

  test('that logs more than allowed is cut', async () => {
    const flood = Buffer.concat([...Array.from({ length: 64 }, () => logged(1, 'x'.repeat(1000))), settled(1)]);
    const told = await hostOf([hello(), INITIALIZED, flood], { executor: { maxLogBytes: 4096 } });
    expect(told).toBe('output undefined | 4003');
  });
});
