// `npm run demo:type-checking`: what the program shows.

import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { spawnNode } from '../helpers.mjs';

test('the example shows two refused programs, one that runs, and checkTypes', async () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(scripts['demo:type-checking']).toBe('node scripts/setup.mjs && node examples/type-checking.mjs');
  const useNative = new URL('use-native.mjs', import.meta.url).href;
  const { status, stdout, stderr } = await spawnNode(['--import', useNative, 'examples/type-checking.mjs']);
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  expect(stdout.match(/^Hint: .*|^--- refunds: .*/gm)).toStrictEqual([
    'Hint: Write `order_id`',
    '--- refunds: none',
    'Hint: Write `await` before the call: it returns a promise',
    '--- refunds: none',
    '--- refunds: 20 for A-1, 5 for A-2',
  ]);
  expect(stdout.endsWith("line 1: 'order_id': Type 'number' is not assignable to type 'string'.\n")).toBe(true);
});
