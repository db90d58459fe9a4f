// The checklist of docs/guide/large-apis.md names tests that exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const rows = readFileSync(join(ROOT, 'docs', 'guide', 'large-apis.md'), 'utf8')
  .split('| risk (specification)')[1]
  .split('\n')
  .slice(2)
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, risk, , tests]) => [risk, tests]);

test('the checklist contains each risk of the specification', () => {
  expect(rows.slice(0, 8).map(([risk]) => risk)).toStrictEqual([
    'endless loops',
    'memory',
    'files of the host',
    'network',
    'environment variables',
    'abuse of the SDK',
    'injected code',
    'prompt injection by data',
  ]);
});

test.each(rows)('the tests against %s exist', (_, tests) => {
  for (const named of tests.split('; ')) {
    const [, file, title] = /^`([\w.]+)`: (.+)$/.exec(named);
    const text = readFileSync(join(ROOT, '__test__', 'sandbox', file), 'utf8');
    expect(text, named).toMatch(new RegExp(`^ *(?:test|describe)(?:\\.each\\(.*\\))?\\('${title}`, 'm'));
  }
});
