import { expect, test } from 'vitest';

import { PROGRAMS as CPU_PROGRAMS } from '../../benchmark/cases/cpu.mjs';
import { CASES } from '../../benchmark/cases/index.mjs';
import { PROGRAMS as MODELS_PROGRAMS } from '../../benchmark/cases/models.mjs';
import { judge } from '../../benchmark/goals.mjs';
import { bestPeer, figuresTable, format, goalsTable, report } from '../../benchmark/report.mjs';
import { geometricMean, median, pairedRatio } from '../../benchmark/statistics.mjs';
import { withExecutor } from '../helpers.mjs';

/** A row as the driver gives it, from the medians of rounds by peer. */
const rowOf = (id, rounds, extra = {}) => ({
  id,
  title: id,
  unit: 'ms',
  isHigherBetter: false,
  cells: Object.fromEntries(
    Object.entries(rounds).map(([peer, value]) => [peer, Array.isArray(value) ? { rounds: value } : value]),
  ),
  ...extra,
});
const verdictOf = (rows) => judge(rows).map(({ value, verdict }) => [value, verdict]);

test('statistics of the benchmark are right', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBe(NaN);
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4, 12);
  // Each round by itself: 2, 2 and 0.5; noise of one round moves both.
  expect(pairedRatio([2, 20, 1], [1, 10, 2])).toBe(2);
  expect(pairedRatio([6, 1], [3])).toBe(2);
  expect(pairedRatio([1], [])).toBe(NaN);
});

test('figures have three significant digits', () => {
  expect([1234.5, 99.96, 12.34, 1.2345, 0.01234, -2.5, NaN].map(format)).toStrictEqual([
    '1,235',
    '100.0',
    '12.3',
    '1.23',
    '0.012',
    '-2.50',
    '–',
  ]);
});

test('a ratio is judged by its required and its desired goal', () => {
  const coldStart = (ours) => verdictOf([rowOf('cold-start', { 'ses-executor': ours, 'isolated-vm': [1, 1] })]);
  expect(coldStart([1, 1])).toStrictEqual([[1, 'aim met']]);
  expect(coldStart([1.1, 1.1])).toStrictEqual([[1.1, 'met']]);
  expect(coldStart([1.35, 1.35])).toStrictEqual([[1.35, 'met']]);
  expect(coldStart([1.4, 1.4])).toStrictEqual([[1.4, 'missed']]);
});

test('a goal without a figure states the reason', () => {
  expect(
    verdictOf([rowOf('cold-start', { 'ses-executor': [1], 'isolated-vm': { rounds: [], reason: 'host died' } })]),
  ).toStrictEqual([[NaN, 'isolated-vm: host died']]);
  expect(verdictOf([rowOf('warm-start', { 'ses-executor': { rounds: [], reason: 'not supported' } })])).toStrictEqual([
    [NaN, 'not supported'],
  ]);
  expect(verdictOf([rowOf('warm-run', { 'ses-executor': [1] })])).toStrictEqual([[NaN, 'not measured']]);
});

test("the warm start is compared with isolated-vm's cold start", () => {
  const rows = [
    rowOf('cold-start', { 'ses-executor': [3, 3, 3], 'isolated-vm': [2, 4, 6] }),
    rowOf('warm-start', { 'ses-executor': [0.4, 0.1] }),
  ];
  expect(verdictOf(rows)).toStrictEqual([
    [0.75, 'aim met'],
    [0.0625, 'met'],
  ]);
});

test('the desired goal of a transfer differs from the required one', () => {
  const row = (vm) => [rowOf('transfer-bytes-out', { 'ses-executor': [2], 'isolated-vm': [4], vm })];
  expect(verdictOf(row([2]))).toStrictEqual([[0.5, 'aim met']]);
  expect(verdictOf(row([1]))).toStrictEqual([[0.5, 'met']]);
});

test('a transfer that has reached its desired goal has two required ones', () => {
  expect(verdictOf([rowOf('transfer-string-in', { 'ses-executor': [2], 'isolated-vm': [4], vm: [1] })])).toStrictEqual([
    [0.5, 'met'],
    [2, 'missed'],
  ]);
});

test('CPU programs are judged by their mean and by the slowest', () => {
  const rows = [
    rowOf('cpu-sieve', { 'ses-executor': [1], vm: [1] }),
    rowOf('cpu-json', { 'ses-executor': [4], vm: [1] }),
  ];
  expect(judge(rows).map(({ title, value, verdict }) => [title, value.toFixed(9), verdict])).toStrictEqual([
    ['CPU programs, geometric mean', '2.000000000', 'missed'],
    ['CPU programs, the slowest: json', '4.000000000', 'missed'],
  ]);
});

test('prepareProgram is judged by its time and its growth', () => {
  const rows = [
    rowOf('prepare-50', { 'ses-executor': [0.2] }),
    rowOf('prepare-1mb:growth', { 'ses-executor': [1.4, 1.4, 1.7] }),
  ];
  expect(verdictOf(rows)).toStrictEqual([
    [0.2, 'met'],
    [1.4, 'met'],
  ]);
});

test('the best peer is neither ours, nor plain Node.js, nor one that failed to stop the program', () => {
  const row = rowOf('cold-start', {
    'ses-executor': [2, 2],
    vm: [0.1, 0.1],
    vm2: { rounds: [0.2, 0.2], note: 'not stopped' },
    'isolated-vm': [1, 4],
    'worker-threads': [9, 9],
  });
  expect(bestPeer(row)).toStrictEqual({ id: 'isolated-vm', ratio: 1.25 });
  expect(bestPeer({ ...row, isHigherBetter: true })?.id).toBe('worker-threads');
  expect(bestPeer(rowOf('cold-start', { 'ses-executor': [2], vm: [1] }))).toBeUndefined();
});

const PEERS = [
  { id: 'ses-executor', title: 'ses-executor' },
  { id: 'isolated-vm', title: 'isolated-vm 7' },
  { id: 'vm', title: 'plain' },
  { id: 'vm2', title: 'vm2', missing: 'npm did not install it' },
];

test('tables have the right form', () => {
  const rows = [
    rowOf('prepare-50', {
      'ses-executor': [0.1, 0.2, 0.3],
      'isolated-vm': [4, 4, 4],
      vm: { rounds: [], reason: 'cannot be stopped' },
    }),
  ];
  expect(figuresTable(rows, PEERS)).toBe(
    [
      '| case | ses-executor | isolated-vm 7 | plain | best peer | plain Node.js |',
      '| --- | --- | --- | --- | --- | --- |',
      '| prepare-50, ms | 0.200 (0.100–0.300) | 4.00 (4.00–4.00) | cannot be stopped | 0.050× isolated-vm | – |',
    ].join('\n'),
  );
  expect(goalsTable(judge(rows))).toBe(
    [
      '| goal | against | figure | must | aim | verdict |',
      '| --- | --- | --- | --- | --- | --- |',
      '| `prepareProgram`, 50 lines |  | 0.200 ms | ≤ 0.3 ms | ≤ 0.1 ms | met |',
    ].join('\n'),
  );
});

test('goals are printed with at most three decimals', () => {
  const goal = { title: 'a', against: '', value: 1, unit: '×', verdict: 'met' };
  const lines = goalsTable([
    { ...goal, must: 1 / 0.85 },
    { ...goal, must: 0.083, aim: 1 / 3 },
  ]).split('\n');
  expect(lines.slice(2).map((line) => line.split('|').slice(4, 6))).toStrictEqual([
    [' ≤ 1.176× ', '  '],
    [' ≤ 0.083× ', ' ≤ 0.333× '],
  ]);
});

test('the report lists what was not measured', () => {
  const rows = [rowOf('warm-run', { 'ses-executor': [1], 'isolated-vm': { rounds: [], error: '1+1 gave 3' } })];
  const text = report({ rows, peers: PEERS, machine: ['Date: today'] });
  expect(text).toContain('- Date: today\n');
  expect(text).toContain('| warm-run, ms | 1.00 | failed | – | – | – |');
  expect(text.split('## Not measured, and failures\n\n')[1]).toBe(
    '- vm2: npm did not install it\n- isolated-vm 7, warm-run: 1+1 gave 3',
  );
});

test('rows have unique names', () => {
  const ids = CASES.flatMap(({ variants }) => variants.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test('the programs return the values that the benchmark expects', async () => {
  await withExecutor({ maxOperations: 1e12, timeoutMs: 30_000, memoryLimitMb: 512 }, {}, async (executor) => {
    for (const { id, text, want } of [...CPU_PROGRAMS, ...MODELS_PROGRAMS]) {
      expect([id, (await executor.run(text)).output]).toStrictEqual([id, want]);
    }
  });
});
