// Values of pages were decoded in one piece: 12 Sets of 10,000 BigInts with one hash stopped the event loop for 4.6 s.

import { describe, expect, test } from 'vitest';

import { withLongestTurn } from '../cpu-time.mjs';
import { expectCode } from '../helpers.mjs';
import { withBrowser } from './helpers.mjs';

/** V8 hashes a BigInt by its lowest 64 bits. */
const COLLIDING = (count) => `Array.from({ length: ${count} }, (_, i) => (BigInt(i + 1) << 64n) + 1n)`;
const OPTIONS = { timeoutMs: 60_000, maxTransferBytes: 64 << 20, memoryLimitMb: 1_024 };

describe('the event loop turns while a large value of a page is decoded', () => {
  test.each([
    ['a Map', `new Map(${COLLIDING(25_000)}.map((key) => [key, 1]))`, 'output'],
    ['a Set', `new Set(${COLLIDING(25_000)})`, 'output'],
    ['several Sets', `Array.from({ length: 4 }, () => new Set(${COLLIDING(16_000)}))`, 'output'],
  ])('%s of BigInts with equal hashes takes too long', async (_name, made, value) => {
    await withBrowser(OPTIONS, {}, async (executor) => {
      const code = `const items = ${made}; items`;
      const { longest } = await withLongestTurn(async () => {
        const error = await expectCode(executor.run(code), 'ERR_TRANSFER_LIMIT_EXCEEDED');
        expect(error.details).toStrictEqual({ maxTransferBytes: OPTIONS.maxTransferBytes, value });
      });
      expect(longest).toBeLessThan(5);
    });
  });

  test.each([
    ['empty lists', 'Array.from({ length: 300_000 }, () => [])', (output) => output.every((list) => list.length === 0)],
    [
      'nested lists',
      'let list = []; for (let i = 0; i < 300_000; i++) list = [list]; list',
      (output) => {
        let depth = 0;
        for (let at = output; at.length === 1; at = at[0]) depth++;
        return depth === 300_000;
      },
    ],
    ['numbers', 'Array.from({ length: 1_000_000 }, (_, i) => i)', (output) => output.at(-1) === 999_999],
    [
      'objects',
      'Array.from({ length: 100_000 }, (_, i) => ({ i, __proto__: null, name: "n" + i }))',
      (output) => output[99_999].i === 99_999 && output[99_999].name === 'n99999',
    ],
    [
      'a Map',
      'new Map(Array.from({ length: 100_000 }, (_, i) => [i, { i }]))',
      (output) => output.get(99_999).i === 99_999,
    ],
    [
      'a sparse list',
      'const list = Array(50_000).fill("x"); list[1e6] = 1; list.name = list; list',
      (output) => output.length === 1_000_001 && output[1e6] === 1 && output.name === output && !(60_000 in output),
    ],
    [
      'functions',
      'Array.from({ length: 10_000 }, () => function f() {})',
      (output) => output.every((f) => f === '[Function: f]'),
    ],
  ])('large values arrive: %s', async (_name, code, isRight) => {
    await withBrowser(OPTIONS, {}, async (executor) => {
      const { longest } = await withLongestTurn(async () => {
        const { output } = await executor.run(code);
        expect(isRight(output)).toBe(true);
      });
      expect(longest).toBeLessThan(5);
    });
  });
});

test('messages of a page are delivered in order, however long they take to decode', async () => {
  const seen = [];
  const onLog = ({ message }) => seen.push(message);
  await withBrowser({ ...OPTIONS, onLog }, {}, async (executor) => {
    await executor.sendTools({
      take: async (value) => void seen.push(value.length),
      count: (value) => seen.push(value.length),
    });
    const { output } = await executor.run(`
      const long = Array(200_000).fill('x');
      console.log('first');
      const calls = [take([1]), take(long), take([1, 2])];
      console.log('second');
      await Promise.all(calls);
      count(long);
      console.log('third');
      long`);
    expect(output).toHaveLength(200_000);
    expect(seen).toStrictEqual(['first', 1, 200_000, 2, 'second', 200_000, 'third']);
  });
});

test('a call with large arguments is made before its run ends', async () => {
  const seen = [];
  await withBrowser(OPTIONS, {}, async (executor) => {
    await executor.sendTools({ take: async (value) => void seen.push(value.size) });
    await executor.run('void take(new Map(Array.from({ length: 50_000 }, (_, i) => [i, i]))); 1');
    expect(seen).toStrictEqual([50_000]);
  });
});

test('arguments that take too long to decode fail their call, and the run continues', async () => {
  await withBrowser({ ...OPTIONS, maxConcurrentToolCalls: 1 }, {}, async (executor) => {
    await executor.sendTools({ take: async () => 1 });
    const { output } = await executor.run(`
      const slow = new Set(${COLLIDING(25_000)});
      const results = await Promise.allSettled([take(slow), take(1)]);
      results.map(({ reason, value }) => reason?.message ?? value)`);
    expect(output).toStrictEqual(['the arguments cannot be read: the value takes too long to read', 1]);
  });
});
