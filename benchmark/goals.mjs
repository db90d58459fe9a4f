// What the figures have to show: the musts and the aims, and whether a run of the benchmark meets them.

import {
  BASELINE,
  OURS,
  OURS_IN_PROCESS,
  OURS_PYTHON,
  OURS_UNCONFINED,
  OUR_BROWSER,
  PUPPETEER,
  PYODIDE,
  VM_CONTEXT,
} from './peers/index.mjs';
import { geometricMean, median, pairedRatio } from './statistics.mjs';

const ISOLATED_VM = 'isolated-vm';
const PAYLOADS = { object: '1 MB nested object', string: '10 MB string', bytes: '10 MB Uint8Array' };
const DIRECTIONS = { in: 'host to guest', out: 'guest to host' };
const TRANSFERS = Object.keys(PAYLOADS).flatMap((payload) =>
  Object.keys(DIRECTIONS).map((direction) => ({
    title: `${PAYLOADS[payload]}, ${DIRECTIONS[direction]}`,
    row: `transfer-${payload}-${direction}`,
  })),
);
/** Those that take no longer than in plain Node.js. */
const LIKE_PLAIN = ['object-in', 'string-in', 'string-out', 'bytes-in'].map((id) => `transfer-${id}`);

/**
 * `row`: of ours, or of `peer`. `versus`: the peer, in the same row or in `versusRow`; absent: the figure itself, in `unit`. `must`,
 * `aim`: what it may be at most; `aimVersus`: the peer that the aim is about. An aim that two runs in a row reach becomes the must.
 */
const GOALS = [
  // Starts normally come from the warm pool. A cold start may take longer, because V8 is not changed for it.
  { title: 'cold start', row: 'cold-start', versus: ISOLATED_VM, must: 1.35, aim: 1 },
  {
    title: "start from the warm pool, against isolated-vm's cold start",
    row: 'warm-start',
    versus: ISOLATED_VM,
    versusRow: 'cold-start',
    must: 0.2,
    aim: 0.05,
  },
  { title: 'warm run', row: 'warm-run', versus: ISOLATED_VM, must: 1, aim: 0.8 },
  // It wakes two threads, as isolated-vm's does, and a run does more: it is checked, transformed and watched over.
  { title: 'run after a pause of 10 ms', row: 'paused-run', versus: ISOLATED_VM, must: 1.5 },
  { title: 'a program that comes again', row: 'reruns', versus: ISOLATED_VM, must: 0.8, aim: 0.4 },
  // For each call the host's event loop is woken, as with isolated-vm.
  { title: 'async tool call in sequence', row: 'tool-async-sequential', versus: ISOLATED_VM, must: 1, aim: 0.6 },
  { title: '100 async tool calls in parallel', row: 'tool-async-parallel', versus: ISOLATED_VM, must: 0.6, aim: 0.3 },
  { title: 'sync tool call', row: 'tool-sync', versus: ISOLATED_VM, must: 1, aim: 0.5 },
  ...TRANSFERS.flatMap((goal) =>
    LIKE_PLAIN.includes(goal.row)
      ? [ISOLATED_VM, BASELINE].map((versus) => ({ ...goal, versus, must: 1 }))
      : [{ ...goal, versus: ISOLATED_VM, must: 1, aim: 1, aimVersus: BASELINE }],
  ),
  // V8 fills inline caches of half a megabyte in each isolate.
  { title: 'memory per idle session', row: 'memory-idle', versus: ISOLATED_VM, must: 1.35, aim: 1 },
  { title: 'memory per session that has worked', row: 'memory-worked', versus: ISOLATED_VM, must: 0.5, aim: 0.3 },
  {
    title: 'a program that makes many values, half of the memory limit held',
    row: 'held-half',
    versus: OURS,
    versusRow: 'held-nothing',
    must: 1.5,
    aim: 1.1,
  },
  { title: 'the same, three quarters held', row: 'held-most', versus: ISOLATED_VM, must: 0.4 },
  {
    title: 'durable session: recording 900 tool calls',
    row: 'durable-recording',
    versus: OURS,
    versusRow: 'durable-plain',
    must: 1.6,
  },
  {
    title: 'durable session: replay, against the recording',
    row: 'durable-replay',
    versus: OURS,
    versusRow: 'durable-recording',
    must: 0.8,
  },
  { title: 'durable session: opening 20 steps', row: 'durable-steps', unit: 'ms', must: 50 },
  {
    title: 'a step over what an earlier one has declared',
    row: 'steps-later',
    versus: OURS,
    versusRow: 'steps-one',
    must: 1.1,
  },
  {
    title: 'a step that declares it again',
    row: 'steps-again',
    versus: OURS,
    versusRow: 'steps-one',
    must: 1.1,
  },
  { title: 'kill latency', row: 'kill-loop', unit: 'ms', must: 1 },
  { title: '`prepareProgram`, 50 lines', row: 'prepare-50', unit: 'ms', must: 0.3, aim: 0.1 },
  // Linear: a quadratic step would show as 30. Caches and garbage collection cost V8's own parser up to 1.7.
  {
    title: '`prepareProgram`, time per character: 1 MB against 1,000 lines',
    row: 'prepare-1mb:growth',
    unit: '×',
    must: 2,
  },
  { title: '`checkTypes`, 50 lines and 100 tools', row: 'typecheck-50', unit: 'ms', must: 5 },
  {
    title: 'large APIs: a search over 2,500 methods against one over 25',
    row: 'api-search-2500',
    versus: OURS,
    versusRow: 'api-search-25',
    must: 1.2,
  },
  { title: 'large APIs: a search over 2,500 methods', row: 'api-search-2500', versus: ISOLATED_VM, must: 0.3 },
  { title: 'large APIs: a program with 10 calls', row: 'api-execute', versus: ISOLATED_VM, must: 0.5 },
];
const IN_PROCESS = [
  { title: 'own process: run', row: 'isolation-run', versus: OURS, must: 1.6 },
  // One thread reads the pipe of a worker and wakes the host's. The host's thread does not take the pipe over: 4.13.
  { title: 'own process: sync tool call', row: 'isolation-sync', versus: OURS, must: 4.5 },
  { title: 'own process: async tool call', row: 'isolation-async', versus: OURS, must: 2.1 },
  { title: 'own process: 64 tool calls in parallel', row: 'isolation-parallel', versus: OURS, must: 1.5, aim: 1.2 },
  { title: 'own process: init from a spare', row: 'isolation-spare', unit: 'ms', must: 0.5 },
  { title: 'own process: init without a spare', row: 'isolation-cold', unit: 'ms', must: 15 },
  { title: 'own process: init without a spare', row: 'isolation-cold', versus: 'node-child', must: 0.1 },
  { title: 'own process: memory per further session', row: 'isolation-memory', unit: 'MiB', must: 6 },
  { title: 'own process: the sandbox, by a run', row: 'isolation-run', versus: OURS_UNCONFINED, must: 1.05 },
  { title: 'own process: death to coded error', row: 'isolation-death', unit: 'ms', must: 5 },
].map((goal) => ({ peer: OURS_IN_PROCESS, ...goal }));
const ON_FLEET = [
  { title: 'fleet: a run, against a raw round trip and a run in a process', row: 'fleet-run', must: 2.5 },
  // At least 0.85 of the throughput.
  { title: 'fleet: 16 sessions with one 10 ms tool each, against threads', row: 'fleet-tools', must: 1 / 0.85 },
  { title: 'fleet: init, against init of a process', row: 'fleet-init', must: 4 },
  { title: 'fleet: recovery of 20 steps, against the steps', row: 'fleet-recovery', must: 0.2 },
].map((goal) => ({ unit: '×', ...goal }));
const IN_BROWSER = [
  { title: 'browser: run in a page made ahead', row: 'browser-warm', versus: PUPPETEER, must: 0.15, aim: 0.08 },
  { title: 'browser: run, no page made ahead', row: 'browser-cold', versus: PUPPETEER, must: 1.4 },
  { title: 'browser: start and first run', row: 'browser-launch', versus: PUPPETEER, must: 1.15 },
  { title: 'browser: runs in a row', row: 'browser-row', versus: PUPPETEER, must: 1 },
  { title: 'browser: 8 runs in parallel, after as many lately', row: 'browser-parallel', versus: PUPPETEER, must: 0.9 },
  { title: 'browser: 8 runs in parallel, first', row: 'browser-first-parallel', versus: PUPPETEER, must: 0.9 },
  // The host's event loop waits for Chrome as it does for any other socket, as with the peer: 0.918.
  { title: 'browser: async tool call', row: 'browser-async', versus: PUPPETEER, must: 1 },
  { title: 'browser: sync tool call', row: 'browser-sync', versus: PUPPETEER, must: 2 },
  { title: 'browser: end after a deadline', row: 'browser-overshoot', unit: 'ms', must: 5 },
  { title: 'browser: private memory of an idle page', row: 'browser-memory', unit: 'MiB', must: 20 },
].map((goal) => ({ peer: OUR_BROWSER, ...goal }));
const PYTHON = [
  { title: 'Python: first in the process, from the cache', row: 'python-first', must: 0.083, aim: 0.055 },
  { title: 'Python: next in the process', row: 'python-next', must: 0.05, aim: 0.033 },
  { title: 'Python: from the warm pool', row: 'python-warm', must: 0.002 },
  { title: 'Python: `import statistics` at first use', row: 'python-import', must: 0.01, aim: 0.005 },
  { title: 'Python: run `1+1`', row: 'python-run', must: 0.33 },
  // Pyodide calls on the same thread. Here each call wakes the host's event loop, which no longer looks for one before it
  // sleeps: 9.53 and 1.44.
  { title: 'Python: sync tool call', row: 'python-sync', must: 10 },
  { title: 'Python: async tool call', row: 'python-async', must: 1.5, aim: 0.33 },
  { title: 'Python: memory per further session', row: 'python-memory', must: 0.55, aim: 0.4 },
  ...['fib', 'sieve', 'words'].map((id) => ({ title: `Python: ${id}`, row: `python-cpu-${id}`, must: 1 })),
].map((goal) => ({ peer: OURS_PYTHON, versus: PYODIDE, ...goal }));
const PYTHON_KILL = {
  title: 'Python: time past the deadline',
  row: 'python-kill',
  peer: OURS_PYTHON,
  unit: 'ms',
  must: 50,
  aim: 10,
};
/** Programs against plain Node.js: the geometric mean, and the slowest of them. `rows`: how the ids of their rows begin. */
const OF_MODELS = {
  title: 'programs as models write them',
  rows: 'models-',
  // The thread that compiles is not kept off the guest's processor. That took a tenth with two processors: 1.08.
  mean: { must: 1.1 },
  worst: { must: 1.3 },
};
const PROGRAMS = [
  { title: 'CPU programs', rows: 'cpu-', mean: { must: 1.05 }, worst: { must: 2 } },
  OF_MODELS,
  { ...OF_MODELS, versus: VM_CONTEXT },
];
/**
 * Judges rows as driver.mjs gives them.
 *
 * @returns one entry per goal whose rows were measured: `title`, `against` and `unit` for people, `value`, `aimValue` if
 *   the aim is about another peer, `must`, `aim`, and `verdict`: "aim met", "met", "missed", or why there is none
 */
export function judge(rows) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const judged = [...GOALS, ...IN_PROCESS, ...ON_FLEET, ...IN_BROWSER, ...PYTHON, PYTHON_KILL]
    .filter(({ row }) => byId.has(row))
    .map((goal) => judgeRow(goal, byId));
  return [...judged, ...PROGRAMS.flatMap((goal) => judgePrograms(goal, rows))];
}

function judgeRow(goal, byId) {
  const { title, row, peer = OURS, versus, versusRow = row, unit, must, aim, aimVersus } = goal;
  const ours = byId.get(row).cells[peer];
  const theirs = versus && byId.get(versusRow)?.cells[versus];
  const result = { title, against: versus ?? '', unit: versus ? '×' : unit, must, aim };
  if (!isMeasured(ours) || (versus && !isMeasured(theirs))) {
    const verdict = whyMissing(ours) ?? whyMissing(theirs, `${versus}: `) ?? 'not measured';
    return { ...result, value: NaN, verdict };
  }
  if (versus === undefined) result.value = median(ours.rounds);
  else if (versusRow !== row) result.value = median(ours.rounds) / median(theirs.rounds);
  else result.value = pairedRatio(ours.rounds, theirs.rounds);
  if (aimVersus === undefined) return { ...result, verdict: verdictOf(result) };
  result.aimValue = pairedRatio(ours.rounds, byId.get(row).cells[aimVersus]?.rounds ?? []);
  result.aimAgainst = aimVersus;
  return { ...result, verdict: verdictOf(result) };
}

function isMeasured(cell) {
  return cell !== undefined && cell.rounds.length > 0;
}

function whyMissing(cell, prefix = '') {
  const why = cell?.reason ?? cell?.error;
  return why === undefined ? undefined : `${prefix}${why}`;
}

function judgePrograms({ title, rows: prefix, versus = BASELINE, mean, worst }, rows) {
  const ratios = rows
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id, cells }) => [id, pairedRatio(cells[OURS]?.rounds ?? [], cells[versus]?.rounds ?? [])]);
  if (ratios.length === 0) return [];
  const values = ratios.map(([, ratio]) => ratio);
  const highest = Math.max(...values);
  const slowest = ratios.find(([, ratio]) => ratio === highest)?.[0].slice(prefix.length);
  const shared = { against: versus, unit: '×' };
  return [
    { title: `${title}, geometric mean`, ...shared, ...mean, value: geometricMean(values) },
    { title: `${title}, the slowest: ${slowest ?? 'none'}`, ...shared, ...worst, value: highest },
  ].map((goal) => ({ ...goal, verdict: verdictOf(goal) }));
}

function verdictOf({ value, aimValue = value, must, aim }) {
  if (Number.isNaN(value)) return 'not measured';
  if (!(value <= must)) return 'missed';
  return aimValue <= aim ? 'aim met' : 'met';
}
