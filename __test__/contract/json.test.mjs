import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';

import { withLongestTurn } from '../cpu-time.mjs';

const require = createRequire(import.meta.url);
const { parseJson } = require('../../build/contract/json.js');

const list = (count, item) => `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
const LONG = list(30_000, (index) => index);

test.each([
  ['numbers', LONG],
  ['objects', list(20_000, (index) => `{"a":${index},"b":"x\\"y\\\\","__proto__":{"c":[1, {}]}}`)],
  ['a long property', `{"a" : ${LONG} , "__proto__": {"z": ${LONG}}, "1": [] }`],
  ['nesting', `${'[1,{"a":'.repeat(499)}${LONG}${'}]'.repeat(499)}`],
  ['a long string', JSON.stringify({ a: 'x"\\'.repeat(100_000), b: 1 })],
  ['space', `\n[ ${' '.repeat(100_000)} [ ] , ${LONG} ]\r\n`],
  ['a number', ` ${'1'.repeat(300)} `],
])('parseJson returns the same as JSON.parse for a long string: %s', async (_, text) => {
  expect(await parseJson(text)).toStrictEqual(JSON.parse(text));
});

test.each(['[1,]', '[,1]', '{"a":1,}', '[1}', '[1 2]', '{"a" 1}', '{1:2}', '["a]', '[1]]', '[[1],]', '{"a":1]'])(
  'a string is refused wherever it stops being valid JSON: %s',
  async (bad) => {
    const texts = [bad, bad.replace('1', LONG), `[${LONG},${bad}]`, `[${bad},${LONG}]`, `${LONG}${bad}`];
    for (const text of [...texts, `{"x":${LONG},"y":${bad}}`]) {
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
      await expect(parseJson(text), text.slice(0, 20)).rejects.toThrow(SyntaxError);
    }
  },
);

test.each([
  ['[', '['.repeat(8_000_000)],
  ['objects', '{"a":'.repeat(1_001)],
  ['a part', `[${LONG},${'['.repeat(1_000)}]`],
])('a string that is nested too deeply is refused before any value is created: %s', async (_, text) => {
  await expect(parseJson(text)).rejects.toThrow('it is nested more than 1000 levels deep');
});

test('a string is refused if its value would take too much memory', async () => {
  await expect(
    parseJson(
      list(100_000, () => '[]'),
      { bytes: 1e6 },
    ),
  ).rejects.toThrow('the budget of 1000000 bytes');
});

describe('an object of 100,000 keys', () => {
  const keys = (count) => Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(',');
  const refusal = 'an object in it has at least 100000 keys, and listing them takes too long';

  test.each([
    ['the value', (text) => text],
    ['an element', (text) => `[1,${text}]`],
    ['a property', (text) => `{"a":[],"b":{"c":${text}}}`],
  ])('is refused, and one of fewer is read: %s', async (_, around) => {
    await expect(parseJson(around(`{${keys(100_000)}}`))).rejects.toThrow(refusal);
    const text = around(`{${keys(99_999)}}`);
    expect(JSON.stringify(await parseJson(text))).toBe(text);
  });

  test('is refused with long values and with nested ones', async () => {
    const long = `"${'x'.repeat(100)}"`;
    await expect(parseJson(`{${keys(100_000).replaceAll(/\d+(?=,)/g, long)}}`)).rejects.toThrow(refusal);
    await expect(parseJson(`{${keys(100_000).replaceAll(/\d+(?=,)/g, '{"a":[]}')}}`)).rejects.toThrow(refusal);
  });

  test('does not stall the host', async () => {
    const text = `{${keys(1_000_000)}}`;
    const { longest } = await withLongestTurn(() => expect(parseJson(text)).rejects.toThrow(refusal));
    expect(longest).toBeLessThan(1);
  });
});
