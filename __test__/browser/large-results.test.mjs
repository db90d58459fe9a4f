// Results of tools were encoded for pages in one piece: 8,000,000 numbers stopped the event loop for 7 s.

import { describe, expect, test } from 'vitest';

import { RunScope } from '../../build/contract/run-scope.js';
import { encode, wire } from '../../build/browser/values.js';
import { withLongestTurn } from '../cpu-time.mjs';
import { withBrowser } from './helpers.mjs';

const MAX = 16 << 20;
const payloadOf = (value, scope = new RunScope(), maxChars = MAX) =>
  wire.payloadOf(0, value, 'result', maxChars, scope);
const listOf = (length, part) => Array.from({ length }, (_, i) => part(i));
const encoded = (value) => encode(value, 'result', MAX);

const LARGE = [
  ['numbers', () => Array(2_000_000).fill(1)],
  ['objects', () => listOf(150_000, (i) => ({ i }))],
  ['lists', () => listOf(150_000, () => [])],
  ['strings', () => listOf(500_000, (i) => `text ${i}`)],
  ['a long string', () => 'x'.repeat(MAX - 2)],
  ['a string of escapes', () => '"\n\\'.repeat(2_000_000)],
  ['a string of unpaired surrogates', () => '\ud800'.repeat(2_000_000)],
  ['strings of unpaired surrogates', () => listOf(500, () => '\ud800'.repeat(4_000))],
  ['a Map', () => new Map(listOf(300_000, (i) => [i, `${i}`]))],
  ['a Set', () => new Set(listOf(500_000, (i) => i))],
  ['bytes', () => new Uint8Array(8_000_000).fill(7)],
  ['a list with a hole', () => Object.assign(Array(500_000).fill(1), { length: 500_001 })],
];

describe('a large result of a tool', () => {
  test.each(LARGE)('%s: the event loop turns while it is encoded, and the text is the same', async (_name, made) => {
    const value = made();
    const { result, longest } = await withLongestTurn(() => payloadOf(value));
    expect(longest).toBeLessThan(1);
    // Not `toBe`, which would print both.
    expect(result === encoded(value)).toBe(true);
  });

  test('reports a part that cannot be cloned, as a small one does', async () => {
    const message = 'result[9999] (function) cannot be cloned';
    await expect(payloadOf([...listOf(9_999, (i) => ({ i })), () => 1])).rejects.toThrow(message);
    expect(() => payloadOf([() => 1])).toThrow('result[0] (function) cannot be cloned');
  });

  test('is refused beyond the limit before it is encoded to the end', async () => {
    let read = 0;
    const value = listOf(20_000, () => ({
      get text() {
        read++;
        return 'x'.repeat(1_000);
      },
    }));
    const refused = payloadOf(value, new RunScope(), 1 << 20);
    await expect(refused).rejects.toThrow(`the result would take more than maxTransferBytes (${1 << 20})`);
    expect(read).toBeLessThan(1_200);
  });

  test('is no longer encoded when the run is over', async () => {
    const scope = new RunScope();
    const encoding = payloadOf(Array(4_000_000).fill(1), scope);
    const over = expect(encoding).rejects.toThrow('aborted');
    scope.end();
    await over;
  });

  test('may change meanwhile: the text is that of one value', async () => {
    const value = listOf(20_000, (i) => i);
    const encoding = payloadOf(value);
    value.length = 10;
    const [kind, length, ...elements] = JSON.parse(await encoding)[1];
    expect({ kind, length }).toEqual({ kind: 'a', length: 20_000 });
    expect(elements.slice(0, 1_000)).toEqual(listOf(1_000, (i) => i));
  });

  test('the event loop turns while it is sent', async () => {
    const text = '"'.repeat(7_000_000);
    let sent;
    const began = new Promise((resolve) => (sent = resolve));
    await withBrowser({}, { text: async () => (sent(), text), done: () => {} }, async (executor) => {
      const running = executor.run('done(); (await text()).length');
      await began;
      const { result, longest } = await withLongestTurn(() => running);
      expect(result.output).toBe(7_000_000);
      expect(longest).toBeLessThan(1);
    });
  });

  test('reaches the page as it is', async () => {
    const rows = listOf(30_000, (i) => ({ i, text: `"${i}"\n` }));
    const long = '😀"'.repeat(50_000);
    await withBrowser({}, { rows: () => rows, later: async () => [rows, long] }, async (executor) => {
      const code = `
        const [rows2, long] = await later();
        const first = rows();
        [first.length, first.at(-1), rows2.length, long.length, long.slice(-3), first.every((row, i) => row.i === i)]`;
      const { output } = await executor.run(code);
      expect(output).toEqual([30_000, rows.at(-1), 30_000, 150_000, '😀"', true]);
    });
  });
});

describe('a small result of a tool', () => {
  test.each([
    ['a string', 'x'.repeat(100_000)],
    ['a list', listOf(1_500, (i) => i)],
    ['rows', listOf(300, (i) => ({ i }))],
    ['an error', new Error('x')],
  ])('is encoded at once: %s', (_name, value) => {
    expect(payloadOf(value)).toBe(encoded(value));
  });
});
