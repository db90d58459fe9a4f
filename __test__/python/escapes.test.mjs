// No program reaches the host. Every one may import everything and call every builtin, so that only the isolate is in
// its way.

import { expect, test } from 'vitest';

import { ESCAPES, tryEscapes } from './escapes.mjs';

test(`P19 ${ESCAPES.length} programs that try to escape`, { timeout: 240_000 }, async () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(50);
  expect(new Set(ESCAPES.map(([name]) => name)).size).toBe(ESCAPES.length);
  const { status, signal, stderr, report } = await tryEscapes('thread');
  expect({ status, signal, stderr }).toStrictEqual({ status: 0, signal: null, stderr: '' });
  expect(report?.filter(({ reached }) => reached.length > 0)).toStrictEqual([]);
  expect(report?.map(({ name }) => name)).toStrictEqual(ESCAPES.map(([name]) => name));
});
