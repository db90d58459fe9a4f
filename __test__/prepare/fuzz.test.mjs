// What `prepare` accepts, V8 accepts, and every program ends with a result or a code: a short run of
// scripts/fuzz-accepts.mjs. fuzz/README.md says how to run a long one.
import { expect, test } from 'vitest';

import { spawnNode } from '../helpers.mjs';

const PROGRAMS = 3_000;

// The same programs each time: the gate does not depend on chance, long runs with other seeds do.
const SEED = 1;

test(`generated programs of seed ${SEED}`, async () => {
  const { status, signal, stdout, stderr } = await spawnNode(
    ['scripts/fuzz-accepts.mjs', '--seed', String(SEED), '--programs', String(PROGRAMS)],
    { timeoutMs: 110_000 },
  );
  // The program of a finding is in stderr; that of a crash in the file that stdout names.
  expect({ status, signal, stderr }, stdout).toStrictEqual({ status: 0, signal: null, stderr: '' });
  const counts = JSON.parse(stdout.trim().split('\n').at(-1));
  // Else the programs are not what they should be, and the run shows nothing.
  expect(counts.programs).toBe(PROGRAMS);
  expect(counts.fulfilled).toBeGreaterThan(counts.programs / 20);
  expect(counts.refused).toBeGreaterThan(counts.programs / 20);
}, 120_000);
