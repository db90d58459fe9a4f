// The sweep itself (sweep.mjs): what it makes of what its children say.

import { expect, test } from 'vitest';

import { listCases, sample, sweep } from './sweep.mjs';

/** Longer than the children need on a machine that has nothing else to do. On others this shows less, and holds as well. */
const LATE_MS = 3_000;

test('a child that ends is a finding for each of its remaining lists of arguments', { timeout: 60_000 }, async () => {
  /** @type {number[]} */
  const progress = [];
  /** @type {string[]} */
  const told = [];
  const findings = await sweep([{ builtin: 'Math.abs', receiver: 'undefined', from: 12 }], {
    // Refused by the executor, which ends the child.
    isolation: /** @type {any} */ ('none'),
    width: 1,
    onProgress: (done) => progress.push(done),
    onFinding: (finding) => told.push(finding),
  });
  expect(progress).toStrictEqual([0, 1]);
  expect(told.sort()).toStrictEqual(findings);
  expect(findings).toStrictEqual([
    'ended the process (1): Reflect.apply(Math.abs, undefined, [1n << 2n ** 24n, 2n ** 40n])',
    'ended the process (1): Reflect.apply(Math.abs, undefined, [setLike])',
  ]);
});

test('a parent that reads late misses no output of a child', { timeout: 120_000 }, async () => {
  // More lines than a pipe holds that nobody reads, of calls that take no time.
  const cases = Array.from({ length: 45 }, () => ({ builtin: 'Math.abs', receiver: 'undefined', from: 7 }));
  let done = 0;
  const swept = sweep(cases, { width: 1, onProgress: (count) => (done = count) });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
  expect(await swept).toStrictEqual([]);
  expect(done).toBe(45);
});

test('a call that ends at its deadline is not a finding', { timeout: 120_000 }, async () => {
  let done = 0;
  const cases = ['() => { for (;;); }', 'Math.abs'].map((builtin) => ({ builtin, receiver: 'undefined', from: 13 }));
  expect(await sweep(cases, { width: 1, onProgress: (count) => (done = count) })).toStrictEqual([]);
  expect(done).toBe(2);
});

test('the cases are all built-ins with each receiver', async () => {
  const cases = await listCases();
  const builtins = [...new Set(cases.map(({ builtin }) => builtin))];
  const receivers = [...new Set(cases.map(({ receiver }) => receiver))];
  expect(cases).toHaveLength(builtins.length * receivers.length);
  expect(receivers).toHaveLength(19);
  for (const name of ['Array', 'Array["prototype"]["push"]', 'Math["abs"]', 'Object.getPrototypeOf([].values())["next"]']) {
    expect(builtins).toContain(name);
  }
  expect(builtins.length).toBeGreaterThan(600);
  expect(sample(cases, 5, 1)).toStrictEqual(sample(cases, 5, 1));
  expect(new Set(sample(cases, 50, 1)).size).toBe(50);
});
