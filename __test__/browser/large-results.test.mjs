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
    expect({ kind, length }).toStrictEqual({ kind: 'a', length: 20_000 });
    expect(elements.slice(0, 1_000)).toStrictEqual(listOf(1_000, (i) => i));
  });

  // A synchronous answer was one message: 16 MiB took 240 ms of processor time.
  test.each([
    ['an asynchronous', (make) => async () => make()],
    ['a synchronous', (make) => () => make()],
  ])('of %s tool: the event loop turns while it is sent', async (_name, toolOf) => {
    const text = '"'.repeat(7_000_000);
    let sent;
    const began = new Promise((resolve) => (sent = resolve));
    await withBrowser({}, { text: toolOf(() => (sent(), text)), done: () => {} }, async (executor) => {
      const running = executor.run('done(); (await text()).length');
      await began;
      const { result, longest } = await withLongestTurn(() => running);
      expect(result.output).toBe(7_000_000);
      expect(longest).toBeLessThan(1);
    });
  });

  test('reaches the page unchanged', async () => {
    const rows = listOf(30_000, (i) => ({ i, text: `"${i}"\n` }));
    const long = '😀"'.repeat(50_000);
    await withBrowser({}, { rows: () => rows, later: async () => [rows, long] }, async (executor) => {
      const code = `
        const [rows2, long] = await later();
        const first = rows();
        [first.length, first.at(-1), rows2.length, long.length, long.slice(-3), first.every((row, i) => row.i === i)]`;
      const { output } = await executor.run(code);
      expect(output).toStrictEqual([30_000, rows.at(-1), 30_000, 150_000, '😀"', true]);
    });
  });
});

// Cause: an answer to a synchronous call is the text of a dialog. The browser replaces half a character at its end.
test('long results of synchronous tools reach the page unchanged, and failures of later calls are reported', async () => {
  const tools = {
    text: (lead) => 'x'.repeat(lead) + '😀'.repeat(700_000),
    fail: () => {
      throw new Error('x'.repeat(10));
    },
  };
  await withBrowser({}, tools, async (executor) => {
    const code = `
      const texts = [0, 1].map((lead) => text(lead));
      let said; try { fail() } catch (error) { said = error.message }
      [texts.map((one) => [one.length, one.isWellFormed(), new Set(one).size]), said]`;
    expect((await executor.run(code)).output).toStrictEqual([
      [
        [1_400_000, true, 1],
        [1_400_001, true, 2],
      ],
      'x'.repeat(10),
    ]);
  });
});

// Cause: V8 lists all keys of an object in one step. A guest's object of 1,000,000 properties took 0.8 s.
test.each([
  ['an object', 'const value = {}; for (let i = 0; i < 100_000; i++) value["k" + i] = i'],
  ['an object in a list', 'const o = {}; for (let i = 0; i < 100_000; i++) o[i * 3] = i; const value = [[o]]'],
  ['an array with holes', 'const value = []; for (let i = 0; i < 100_000; i++) value[i * 2 + 1] = i'],
  ['an array', 'const value = Object.assign(Array.from({ length: 100_000 }, () => 1), { x: 1 })'],
])('a result that contains %s of a guest with 100,000 keys is refused', async (_name, make) => {
  await withBrowser({}, { echo: async (value) => value }, async (executor) => {
    const run = executor.run(`${make}; try { await echo(value) } catch (error) { [error.name, error.message] }`);
    const what = 'the result contains an object or array with at least 100000 keys, and listing them takes too long';
    expect((await run).output).toStrictEqual(['TypeError', `${what}; use a Map, or a list of keys and values`]);
  });
});

test('a result with slightly fewer keys, or with a long array that a guest has filled, is passed on', async () => {
  await withBrowser({}, { echo: async (value) => value }, async (executor) => {
    const code = `
      const wide = {}; for (let i = 0; i < 99_999; i++) wide["k" + i] = i;
      const echoed = await echo([wide, Array(150_000).fill(1), Object.assign([1, , 2], { x: 3 })]);
      [Object.keys(echoed[0]).length, echoed[1].length, Object.entries(echoed[2])]`;
    expect((await executor.run(code)).output).toStrictEqual([
      99_999,
      150_000,
      Object.entries(Object.assign([1, , 2], { x: 3 })),
    ]);
  });
});

describe('a small result of a tool', () => {
  test.each([
    ['a string', 'x'.repeat(100_000)],
    ['a list', listOf(1_500, (i) => i)],
    ['rows', listOf(300, (i) => ({ i }))],
    ['an error', new Error('x')],
  ])('is encoded in one step: %s', (_name, value) => {
    expect(payloadOf(value)).toBe(encoded(value));
  });
});
