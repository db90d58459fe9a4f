// The sweep itself (sweep.mjs): what it makes of what its children say.

import { expect, test } from 'vitest';

import { sweep } from './sweep.mjs';

/** Longer than the children need on a machine that has nothing else to do. On others this shows less, and holds as well. */
const LATE_MS = 3_000;

test('a child that ends is a finding for each of its remaining lists of arguments', { timeout: 60_000 }, async () => {
  const findings = await sweep([{ builtin: 'Math.abs', receiver: 'undefined', from: 12 }], {
    // Refused by the executor, which ends the child.
    isolation: /** @type {any} */ ('none'),
    width: 1,
  });
  expect(findings).toEqual([
    'ended the process (1): Reflect.apply(Math.abs, undefined, [1n << 2n ** 24n, 2n ** 40n])',
    'ended the process (1): Reflect.apply(Math.abs, undefined, [setLike])',
  ]);
});

test('a parent that reads late misses no output of a child', { timeout: 120_000 }, async () => {
  // More lines than a pipe holds that nobody reads, of calls that take no time.
  const cases = Array.from({ length: 45 }, () => ({ builtin: 'Math.abs', receiver: 'undefined', from: 7 }));
  const swept = sweep(cases, { width: 1 });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
  expect(await swept).toEqual([]);
});
