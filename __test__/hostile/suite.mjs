// The attacks of this folder: what their headers say, how one is run, and what is expected of it.
//
// An attack is a guest program `<group>-<name>.js`, or, where it needs the host's side, a scenario
// `<group>-<name>.host.mjs` (see harness.mjs). Both begin with a header, a line per key:
//
//   // attack: what is attacked, and how
//   // outcome: value <inspected> | final <inspected> | <code>      and what `rest` of a scenario says, behind ", and "
//   // state: READY | DIRTY | DEAD      what the attack leaves; alternatives are separated by `, `
//                                      (only for memory: garbage collection decides whether V8 can still unwind)
//   // options: <JSON>                  of the executor, beside DEFAULTS
//   // details: <JSON>                  what `details` of the error has at least
//   // peak: <MB> <why>                 host memory over the baseline, if it is not the memory limit and 64 MB
//   // stuck: <count> <why>             threads that go on in V8 seconds after everything was cleaned up, if any
//   // processPeak: <MB> <why>          memory with isolation: "process", if it is not 16 MB
//   // only: thread <why>               what it is about is not there with isolation: "process"

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { spawnNode } from '../children/spawn.mjs';

const FOLDER = new URL('.', import.meta.url);
const HARNESS = fileURLToPath(new URL('harness.mjs', FOLDER));
/** Options of the executor that is attacked. */
const DEFAULTS = { timeoutMs: 1_500, memoryLimitMb: 64 };
/** What a run may take beyond its deadline until it is settled, on a busy machine. */
const GRACE_MS = 1_000;
/** Resident memory that an attack may cost beyond its memory limit. */
const HEADROOM_MB = 64;
/** The same if the memory is that of a separate process. */
const PROCESS_PEAK_MB = 16;
/** A child that takes longer is stuck. */
const CHILD_TIMEOUT_MS = 60_000;
const KEYS = ['attack', 'outcome', 'state', 'options', 'details', 'peak', 'stuck', 'processPeak', 'only'];

/**
 * @typedef {object} Attack
 * @property {string} name file name without its ending
 * @property {string} file
 * @property {string} group
 * @property {string} attack
 * @property {string} outcome
 * @property {string[]} states
 * @property {Record<string, any>} options
 * @property {Record<string, unknown>} details
 * @property {Record<Isolation, number>} peaksMb
 * @property {Record<Isolation, number>} stuck
 * @property {boolean} isForThreads
 *
 * @typedef {'thread' | 'process'} Isolation
 */

/**
 * @param {Isolation} isolation
 * @returns {Attack[]} in the order of their names
 */
export function listAttacks(isolation) {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js') || file.endsWith('.host.mjs'))
    .sort()
    .map(readAttack)
    .filter(({ isForThreads }) => isolation === 'thread' || !isForThreads);
}

/**
 * @param {string} file
 * @returns {Attack}
 */
export function readAttack(file) {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  const fields = /** @type {Record<string, string>} */ ({});
  for (const line of text.split('\n')) {
    const [, key, value] = /^\/\/ (\w+): (.*)$/.exec(line) ?? [];
    if (key === undefined) break;
    if (!KEYS.includes(key) || key in fields) throw new Error(`${file}: header has an odd line: ${line}`);
    fields[key] = value.trim();
  }
  for (const key of ['attack', 'outcome', 'state']) {
    if (!fields[key]) throw new Error(`${file}: header lacks ${key}`);
  }
  const options = { ...DEFAULTS, ...JSON.parse(fields.options ?? '{}') };
  return {
    name: file.replace(/(\.host)?\.m?js$/, ''),
    file,
    group: file.split('-')[0],
    attack: fields.attack,
    outcome: fields.outcome,
    states: fields.state.split(', '),
    options,
    details: JSON.parse(fields.details ?? '{}'),
    stuck: { thread: fields.stuck ? parseInt(fields.stuck, 10) : 0, process: 0 },
    peaksMb: {
      thread: fields.peak ? parseInt(fields.peak, 10) : options.memoryLimitMb + HEADROOM_MB,
      process: fields.processPeak ? parseInt(fields.processPeak, 10) : PROCESS_PEAK_MB,
    },
    isForThreads: fields.only?.startsWith('thread ') ?? false,
  };
}

/**
 * Runs one attack in its own process.
 *
 * @param {Attack} attack
 * @param {Isolation} isolation
 * @returns {Promise<{ status: number | null, signal: string | null, stderr: string, report: any }>}
 */
export async function runAttack(attack, isolation) {
  const child = await spawnNode([HARNESS, attack.file, isolation], { timeoutMs: CHILD_TIMEOUT_MS });
  const { status, signal, stdout, stderr } = child;
  const line = stdout.trimEnd().split('\n').at(-1);
  let report;
  try {
    report = JSON.parse(line ?? '');
  } catch {
    report = undefined;
  }
  return { status, signal, stderr: stderr.slice(0, 2_000), report };
}

/**
 * What {@link observed} gives for an attack that was contained.
 *
 * @param {Attack} attack
 * @param {Isolation} isolation
 */
export function expected(attack, isolation) {
  return {
    status: 0,
    signal: null,
    stderr: '',
    outcome: attack.outcome,
    details: attack.details,
    state: attack.states.join(', '),
    next: 'works',
    afterwards: 'DEAD',
    stuck: attack.stuck[isolation],
    neighbour: 'works',
    hostErrors: [],
    hostChanges: [],
    settled: 'in time',
    peak: `at most ${attack.peaksMb[isolation]} MB`,
  };
}

/**
 * The outcome of an attack, in the terms of {@link expected}.
 *
 * @param {Attack} attack
 * @param {Isolation} isolation
 * @param {Awaited<ReturnType<typeof runAttack>>} result
 */
export function observed(attack, isolation, { status, signal, stderr, report }) {
  if (report === undefined) return { status, signal, stderr, report: 'none' };
  const peakMb = attack.peaksMb[isolation];
  const latest = attack.options.timeoutMs + GRACE_MS;
  return {
    status,
    signal,
    stderr,
    outcome: report.outcome,
    details: pick(report.details, attack.details),
    state: attack.states.includes(report.state) ? attack.states.join(', ') : report.state,
    next: report.next,
    afterwards: report.afterwards,
    stuck: report.stuck,
    neighbour: report.neighbour,
    hostErrors: report.hostErrors,
    hostChanges: report.hostChanges,
    settled: report.durationMs <= latest ? 'in time' : `after ${Math.round(report.durationMs)} ms`,
    peak: report.peakMb <= peakMb ? `at most ${peakMb} MB` : `${Math.round(report.peakMb)} MB`,
  };
}

/**
 * What `wanted` has of `value`, at any depth.
 *
 * @param {any} value
 * @param {any} wanted
 * @returns {any}
 */
function pick(value, wanted) {
  if (Array.isArray(wanted)) return Array.from(value ?? [], (item, at) => pick(item, wanted[at]));
  if (typeof wanted !== 'object' || wanted === null) return value;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, pick(value?.[key], wanted[key])]));
}

/**
 * A function that runs what it is given, at most `limit` at a time.
 *
 * @param {number} limit
 */
export function limiter(limit) {
  let running = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  /** @template T @param {() => Promise<T>} work */
  return async (work) => {
    if (running === limit) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
