// No program reaches the host. Every one may import everything and call every builtin, so that only the isolate is in its way.

import { spawnNode } from '../helpers.mjs';
import { expect, test } from 'vitest';

import { ESCAPES } from './escapes.mjs';

test(`${ESCAPES.length} programs`, { timeout: 240_000 }, async () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(50);
  expect(new Set(ESCAPES.map(([name]) => name)).size).toBe(ESCAPES.length);
  // In a process of its own: a program that ends it would end the tests, too.
  const result = await spawnNode([new URL('escapes.child.mjs', import.meta.url).pathname], {
    env: { ...process.env, PYTHON_TEST_SECRET: 'of the environment' },
  });
  expect(result).toEqual({ status: 0, signal: null, stdout: `${ESCAPES.length} programs\n`, stderr: '' });
});
