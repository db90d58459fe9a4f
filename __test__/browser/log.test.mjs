// Each argument of a console call had a separate bound: a hundred arguments took 1.7 s to be printed.

import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { Log } = require('../../build/browser/log.js');

function printed(args) {
  const log = new Log({ maxLogBytes: 4 << 20, collectConsoleLevels: ['log'], onLog: undefined });
  log.call('log', args);
  return log.text;
}

const large = Array.from({ length: 90 }, () => Array.from({ length: 90 }, (_, a) => ({ a })));

test.each([
  ['the same large object', () => large],
  ['large objects', () => structuredClone(large)],
  ['Maps', () => new Map(large.map((list, index) => [index, list]))],
])('a hundred arguments are printed within a common bound: %s', (_name, makeArgument) => {
  const text = printed(Array.from({ length: 100 }, makeArgument));
  expect(text.length).toBeLessThan(200_000);
  expect(text).toContain('...');
});

test('small arguments are printed completely, next to each other and to strings', () => {
  expect(printed(['a', { b: 1 }, [1, 2], null, 3n, undefined])).toBe('a { b: 1 } [ 1, 2 ] null 3n undefined');
});

test('one large argument is printed by the usual rules', () => {
  expect(printed(['x', large])).toMatch(/^x \[/);
});
