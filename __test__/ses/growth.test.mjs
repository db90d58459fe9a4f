// The host's memory does not grow with the runs of an executor, whatever they leave: names that it has seen, scripts
// whose positions it keeps, logs, errors. What a program leaves for good shows in the slope over thousands of runs.

import { expect, test } from 'vitest';

import { growthOf } from '../../scripts/growth.mjs';

/** Bytes per run: less than half of a program's text. The allocator's own noise is some hundred. */
const MAX_SLOPE = 2_000;

test.each(['thread', 'process'])(
  'thousands of runs leave nothing in the host (%s)',
  async (isolation) => {
    const { bytesPerRun } = await growthOf({ isolation, runs: 6_000 });
    if (bytesPerRun < MAX_SLOPE) return;
    // What is left for good is left again; a step of the host's own heap is not.
    const again = await growthOf({ isolation, runs: 12_000 });
    expect(again.bytesPerRun).toBeLessThan(MAX_SLOPE);
  },
  180_000,
);
