// The program of a worker process, spoken to frame by frame: what it answers, and that it ends when what it reads is no
// frame of its host's. The frames are those that the protocol's own tests hold to the byte.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';
import { inProcess, isLinux, pidOf } from './helpers.mjs';

const [OPEN, , VARIABLES, , , RUN] = readFileSync(join(ROOT, 'crates/protocol/src/frames/golden.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => Buffer.from(line, 'hex'));
/** Of what those frames name: session 7, job 4. */
const SETTLED = /^83 0400000000000000/;

/** The command line of a worker that this process starts, from one that the package has started. */
async function commandLine() {
  const executor = inProcess({ spares: 0 });
  await executor.init();
  const line = readFileSync(`/proc/${pidOf(executor)}/cmdline`, 'utf8')
    .split('\0')
    .slice(0, -1);
  await executor.cleanup();
  return line;
}

/** Starts a worker. `read()` gives its next frame, as kind and body in hexadecimal digits. */
async function startWorker() {
  const [program, ...rest] = await commandLine();
  const child = spawn(program, rest, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => {});
  let bytes = Buffer.alloc(0);
  const chunks = child.stdout.iterator();
  const fill = async (count) => {
    while (bytes.length < count) {
      const { done, value } = await chunks.next();
      if (done) throw new Error('the worker has ended');
      bytes = Buffer.concat([bytes, value]);
    }
  };
  const read = async () => {
    await fill(9);
    const length = bytes.readUInt32LE(0) + 4;
    await fill(length);
    const frame = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    return `${frame.toString('hex', 4, 5)} ${frame.toString('hex', 9)}`;
  };
  return { child, ended, read, write: (...frames) => child.stdin.write(Buffer.concat(frames)) };
}

describe.runIf(isLinux)('a worker process', () => {
  test('greets, opens a session and runs code in it until the host closes its pipe', async () => {
    const { child, read, write, ended } = await startWorker();
    expect(await read()).toMatch(/^81 0d000000/);
    write(OPEN);
    expect(await read()).toBe('82 00');
    write(RUN);
    const frames = [];
    while (!SETTLED.test(frames.at(-1))) frames.push(await read());
    child.stdin.end();
    expect(await ended).toStrictEqual([0, null]);
  });

  const head = (length, kind) => Buffer.from([length, 0, 0, 0, kind, 7, 0, 0, 0]);
  test.each([
    ['zeros', Buffer.alloc(64)],
    ['an unknown kind', head(5, 0x7f)],
    ["a worker's own kind", head(5, 0x81)],
    ['a frame that is shorter than its header', head(1, 8)],
    ['a body that is too short', head(5, 8)],
  ])('that reads %s ends, before and within a session', async (_, bytes) => {
    const without = await startWorker();
    await without.read();
    without.write(bytes);
    expect(await without.ended).toStrictEqual([0, null]);
    const within = await startWorker();
    await within.read();
    within.write(OPEN);
    expect(await within.read()).toBe('82 00');
    within.write(bytes);
    expect(await within.ended).toStrictEqual([0, null]);
  });

  test('ends if it gets a request before its session, or is opened twice', async () => {
    const early = await startWorker();
    await early.read();
    early.write(VARIABLES);
    expect(await early.ended).toStrictEqual([0, null]);
    const twice = await startWorker();
    await twice.read();
    twice.write(OPEN, OPEN);
    expect(await twice.ended).toStrictEqual([0, null]);
  });

  test('ends after its host has ended', async () => {
    const { child, read, ended } = await startWorker();
    await read();
    child.stdin.end();
    expect(await ended).toStrictEqual([0, null]);
  });
});
