// Each promise of SECURITY.md has an id, and tests that name it.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const promises = [...page.matchAll(/^\*\*P(\d+)\. /gm)].map(([, number]) => Number(number));
const files = [
  'scripts/containment.mjs',
  ...readdirSync(join(ROOT, '__test__'), { recursive: true })
    .map((name) => `__test__/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:test\.)?mjs$/.test(path) && !path.startsWith('__test__/package/')),
];
const sources = files.map((path) => readFileSync(join(ROOT, path), 'utf8'));

test('the promises are numbered without gaps', () => {
  expect(promises).toStrictEqual(Array.from({ length: promises.length }, (_, index) => index + 1));
  expect(promises.length).toBeGreaterThan(7);
});

test.each(promises.map((number) => `P${number}`))('%s is named by a test', (id) => {
  const named = new RegExp(`['"\`( ,]${id}\\b`);
  expect(sources.some((text) => named.test(text))).toBe(true);
});

test('tests name no other promises', () => {
  const titles = sources.flatMap((text) => [...text.matchAll(/\b(?:test|describe)\b[^\n]*?['"`]P(\d+)\b/g)]);
  for (const [line, number] of titles) expect(promises, line).toContain(Number(number));
});
