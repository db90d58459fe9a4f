// Each argument of a console call had a separate bound: a hundred arguments took 1.7 s to be printed. `console.dir` and
// labels showed the class of the remarks about omitted parts, `Remark {}` and `[object Object]`, instead of their text.

import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { Log } = require('../../build/browser/log.js');

function printed(args, method = 'log') {
  const log = new Log({ maxLogBytes: 4 << 20, collectConsoleLevels: ['log', 'warn'], onLog: undefined });
  log.call(method, args);
  return log.text;
}

const large = Array.from({ length: 90 }, () => Array.from({ length: 90 }, (_, a) => ({ a })));

test.each([
  ['the same large object', () => large, /(?: \[ \.{3} of 90 items \]){50}$/],
  ['large objects', () => structuredClone(large), /(?: \[ \.{3} of 90 items \]){50}$/],
  [
    'Maps',
    () => new Map(large.map((list, index) => [index, list])),
    /(?: Map\(1\) \{ \.{3} of 90 items => \.{3} of 90 items \}){50}$/,
  ],
])('a hundred arguments are printed within a common bound: %s', (_name, makeArgument, expected) => {
  const text = printed(Array.from({ length: 100 }, makeArgument));
  expect(text.length).toBeLessThan(200_000);
  expect(text).toMatch(expected);
});

test.each([
  ['log', [], /^\[\n {2}\[\n(?:[[\],\s]|Array|\.{3} of 100 items)+\]$/],
  ['log', ['%o'], /^\[\n {2}\[\n(?:[[\],\s]|Array|\.{3} of 100 items|\[length\]: \d+)+\]$/],
  ['log', ['%d'], /^NaN$/],
  ['dir', [], /^\[\n {2}\[\n(?:[[\],\s]|Array|\.{3} of 100 items)+\]$/],
  ['group', [], /^\[\n {2}\[\n(?:[[\],\s]|Array|\.{3} of 100 items)+\]$/],
  ['table', [], /^┌─+┬[─┬]+┐\n│ \(index\) │ 0 (?:[\d\s[\],.─┬├┼┤└┴┘│]|Array|of|items|Values)+$/],
  ['count', [], /^(?:(?:\[Array\]|\.{3} of 100 items),)+\.{3} of 100 items: 1$/],
  [
    'timeEnd',
    [],
    /^Warning: No such label '(?:(?:\[Array\]|\.{3} of 100 items),)+\.{3} of 100 items' for console\.timeEnd\(\)$/,
  ],
])('%s of %j and a list of 10^12 numbers prints the first parts and remarks about the rest', (method, before, text) => {
  let value = 1;
  for (let depth = 0; depth < 6; depth++) value = Array(100).fill(value);
  expect(printed([...before, value], method)).toMatch(text);
});

test('small arguments are printed completely, next to each other and to strings', () => {
  expect(printed(['a', { b: 1 }, [1, 2], null, 3n, undefined])).toBe('a { b: 1 } [ 1, 2 ] null 3n undefined');
});

test('one large argument is printed up to the bound', () => {
  expect(printed(['x', large])).toMatch(
    /^x \[\n {2}\[\n {4}(?:\{ '\.{3}': \.{3} more \},\s+)+\{ '\.{3}': \.{3} more \}\n {2}\],\n[^]*(?: {2}\[ \.{3} of 90 items \],?\n)+\]$/,
  );
});
