// The sweep itself (sweep.mjs): what it makes of what its children say.

import { expect, test } from 'vitest';

import { sweep } from './sweep.mjs';

/** Longer than the children need on a machine that has nothing else to do. On others this shows less, and holds as well. */
const LATE_MS = 3_000;

test('a parent that reads late misses nothing that a child has said', { timeout: 120_000 }, async () => {
  // More lines than a pipe holds that nobody reads, of calls that take no time.
  const cases = Array.from({ length: 45 }, () => ({ builtin: 'Math.abs', receiver: 'undefined', from: 7 }));
  const swept = sweep(cases, { width: 1 });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
  expect(await swept).toEqual([]);
});
