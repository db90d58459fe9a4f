// Calls of file tools that have to wait: for which others, and until when.

import { createRequire } from 'node:module';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { createFileTools } from '../../build/files/index.js';
import { SESExecutor } from '../../build/ses/executor.js';
import { rejection } from '../helpers.mjs';
import { get, put, root, textOf, tools } from './file-tools-root.mjs';

// The one that the library has loaded.
const native = createRequire(import.meta.url)('../../native.cjs');
afterEach(() => vi.restoreAllMocks());

/** A search that goes through several megabytes line by line. */
const SLOW = { pattern: '(a|b)*c(d|e)*f$' };
const putMuch = () => {
  for (let file = 0; file < 8; file++) put(`much/${file}.txt`, `${'ab'.repeat(40)}\n`.repeat(50_000));
};

describe('a set of tools', () => {
  test('does not wait for the searches of another', async () => {
    putMuch();
    put('small.txt', 'small');
    let done = 0;
    const searches = Array.from({ length: 32 }, () => tools.grep(SLOW).then(() => done++));
    const others = createFileTools({ root });
    expect(await textOf(others.read('small.txt'))).toBe('small');
    expect(await textOf(others.find('small.*'))).toBe('small.txt');
    expect(done).toBeLessThan(8);
    await Promise.all(searches);
  });

  test('does not wait for its own searches to read', async () => {
    putMuch();
    put('small.txt', 'small');
    let done = 0;
    const searches = Array.from({ length: 32 }, () => tools.grep(SLOW).then(() => done++));
    expect(await textOf(tools.read('small.txt'))).toBe('small');
    expect(done).toBeLessThan(8);
    await Promise.all(searches);
  });

  test('continues with changes after one could not be started', async () => {
    vi.spyOn(native.NativeFileTools.prototype, 'edit').mockImplementationOnce(() => {
      throw new Error('no thread');
    });
    const failed = rejection(tools.edit('a.txt', 'a', 'b'));
    await tools.write('a.txt', 'written');
    expect([(await failed).message, get('a.txt')]).toStrictEqual(['no thread', 'written']);
  });

  test('delivers each large outcome in a separate turn of the event loop', async () => {
    vi.spyOn(native.NativeFileTools.prototype, 'readText').mockImplementation(async () => ({
      text: '',
      receipt: { sign() {} },
    }));
    let turn = 0;
    let next;
    const count = () => {
      turn++;
      next = setImmediate(count);
    };
    count();
    const turns = await Promise.all(Array.from({ length: 3 }, () => tools.readText('a.txt').then(() => turn)));
    clearImmediate(next);
    expect(new Set(turns).size).toBe(3);
  });
});

describe('the end of a run', () => {
  /** Runs `code` with tools that record how their calls have ended; `calls` resolves when all have. */
  const runWith = async (code, options, count) => {
    const ended = [];
    let all;
    const calls = new Promise((resolve) => (all = resolve));
    const record =
      (tool) =>
      async (/** @type {any[]} */ ...args) => {
        const outcome = await tool(...args).then(
          () => 'done',
          (error) => `${error.code}: ${error.message}`,
        );
        if (ended.push(outcome) === count) all(ended);
      };
    const executor = new SESExecutor({ autoInit: true, ...options });
    await executor.sendTools({ grep: record(tools.grep), write: record(tools.write) });
    const error = await executor.run(code).then(
      () => undefined,
      (failure) => failure.code,
    );
    const outcomes = await calls;
    await executor.cleanup();
    return { error, outcomes };
  };
  const OVER = 'ECANCELED: The run that made this call has ended';

  test('ends its searches, including waiting ones', async () => {
    putMuch();
    const code = `for (let i = 0; i < 16; i++) grep(${JSON.stringify(SLOW)}); 1`;
    expect(await runWith(code, {}, 16)).toStrictEqual({ error: undefined, outcomes: Array(16).fill(OVER) });
  });

  test('ends all of its calls with one stop', async () => {
    const stops = vi.spyOn(native.NativeFileStop.prototype, 'stop');
    const executor = new SESExecutor({ autoInit: true });
    await executor.sendTools(tools);
    for (let runs = 1; runs <= 2; runs++) {
      await executor.run(`await find('*'); await Promise.all([find('*'), write('a.txt', '')])`);
      expect(stops).toHaveBeenCalledTimes(runs);
    }
    await executor.cleanup();
  });

  test('by its deadline ends its searches', async () => {
    putMuch();
    // Far more than there is time for.
    const code = `for (let i = 0; i < 200; i++) grep(${JSON.stringify(SLOW)}); await new Promise(() => {})`;
    const { error, outcomes } = await runWith(code, { timeoutMs: 300, maxConcurrentToolCalls: 200 }, 200);
    expect(error).toBe('ERR_EXEC_TIMEOUT');
    expect(outcomes.at(-1)).toBe(OVER);
  });

  test('prevents further writes', async () => {
    putMuch();
    // Each write waits for the one before it.
    const code = `const text = 'x'.repeat(1e6); for (let i = 0; i < 60; i++) write('out.txt', text); 1`;
    const { outcomes } = await runWith(code, {}, 60);
    expect(outcomes.at(-1)).toBe(OVER);
  });

  test('does not affect calls of the next run', async () => {
    put('a.txt', 'found');
    const executor = new SESExecutor({ autoInit: true });
    await executor.sendTools(tools);
    await executor.run(`grep({ pattern: 'found' }); 1`);
    expect((await executor.run(`(await grep({ pattern: 'found' })).content[0].text`)).output).toBe('a.txt:1: found');
    await executor.cleanup();
  });
});
