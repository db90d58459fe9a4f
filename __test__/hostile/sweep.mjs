// Every built-in that guests have, called with receivers and arguments whose sizes are around 2^24 to 2^53: none may end the
// process, leave a thread that does not end, or have one parked that holds nothing. A built-in and a receiver are one case;
// its arguments are tried in turn. Cases run in child processes with a deadline: `node sweep.mjs <isolation> '<JSON of cases>'` is one.

import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { ownEnvironment } from '../children/spawn.mjs';
import { SESExecutor, engineStats } from '../../index.mjs';

const FILE = fileURLToPath(import.meta.url);
/** What one call may take until it is terminated. */
const CALL_MS = 150;
/** What a terminated thread may take to end, on a busy machine. */
const END_MS = 30_000;
/** A child that takes longer for one case is stuck itself. */
const CHILD_MS = 120_000;
/** Cases per child process. */
const CASES_PER_CHILD = 50;
/** Threads that are parked stay until their child ends: with so many another child goes on, before none can be made any more. */
const PARKED_PER_CHILD = 8;
/** Exit status of such a child. */
const FULL = 3;
/** The descriptor that a child reports to, by writes that wait. Those to stdout do not: Node.js has it refuse what it has no room for. */
const REPORT = 3;
/** A parked isolate with less than this has been parked for nothing. */
const CHEAP_BYTES = 16 * 2 ** 20;

const PRELUDE = `
  const holes = (length, list = []) => { list.length = length; return list; };
  class List extends Array {}
  const chained = (object) => { for (let i = 0; i < 20000; i++) object = Object.create(object); return object; };
  const endless = (value) => ({ next: Object.bind(null, { value, done: false }) });
  const iterable = (value) => ({ [Symbol.iterator]: Object.bind(null, endless(value)) });
  const setLike = { size: 2 ** 32, has: Boolean, keys: Object.bind(null, endless(1)) };
`;
/** Expressions of guest code. */
const RECEIVERS = [
  'undefined',
  '2 ** 32 - 1',
  '({ length: 2 ** 24 })',
  '({ length: 2 ** 32 - 1 })',
  '({ length: 2 ** 53 - 1 })',
  'holes(2 ** 25 + 1)',
  'holes(2 ** 32 - 1)',
  'new Proxy(holes(2 ** 32 - 1), {})',
  'holes(2 ** 32 - 1, new List())',
  'chained({ length: 2 ** 20 })',
  '"ab".repeat(2 ** 23)',
  'new String("a".repeat(2 ** 28))',
  'new Uint8Array(2 ** 24)',
  'new Map([[1, 2]])',
  'new Set([1, 2])',
  '1n << 2n ** 24n',
  '/(?:)/g',
  'endless(1)',
  'new Date(8.64e15)',
];
const ARGUMENTS = [
  '[]',
  '[2 ** 32 - 1]',
  '[-(2 ** 31), 2 ** 53 - 1]',
  '[0, 2 ** 31, 1]',
  '[{ length: 2 ** 32 - 1 }]',
  '[null, { length: 2 ** 53 - 1 }]',
  '[holes(2 ** 32 - 1), holes(2 ** 32 - 1)]',
  '[Boolean, 0]',
  '[iterable([1, 2]), Boolean]',
  '[/b/g, "a".repeat(2 ** 24)]',
  '["b".repeat(2 ** 16), "a".repeat(2 ** 20)]',
  '[2 ** 28, "abc"]',
  '[setLike]',
  '[1n << 2n ** 24n, 2n ** 40n]',
];

/** @typedef {{ builtin: string, receiver: string, from?: number }} Case `from`: the first of its arguments */

/** @returns {Promise<Case[]>} */
export async function listCases() {
  const executor = new SESExecutor({ autoInit: true, maxOperations: 1e9 });
  // In a function, whose own names are none of the guest's.
  const { output } = await executor.run(`return (() => {
    const found = [];
    const seen = new Set();
    const at = (path, key) =>
      path + (typeof key === 'symbol' ? '[' + key.description + ']' : '[' + JSON.stringify(key) + ']');
    const walk = (value, path) => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
      seen.add(value);
      if (typeof value === 'function') found.push(path);
      for (const key of Reflect.ownKeys(value)) {
        const { value: held, get, set } = Object.getOwnPropertyDescriptor(value, key);
        const own = 'Object.getOwnPropertyDescriptor(' + path + ', ' + at('', key).slice(1, -1) + ')';
        walk(held, at(path, key));
        // The accessors of frozen prototypes give what assignment may shadow.
        if (get !== undefined && 'originalValue' in get) walk(get.originalValue, at(path, key));
        else if (get !== undefined) walk(get, own + '.get');
        if (set !== undefined && get === undefined) walk(set, own + '.set');
      }
      walk(Object.getPrototypeOf(value), 'Object.getPrototypeOf(' + path + ')');
    };
    const names = Object.getOwnPropertyNames(globalThis);
    for (const name of names) if (!['globalThis', 'final_answer', 'eval'].includes(name)) walk(globalThis[name], name);
    walk(Object.getPrototypeOf([].values()), 'Object.getPrototypeOf([].values())');
    walk(Object.getPrototypeOf(new Map().keys()), 'Object.getPrototypeOf(new Map().keys())');
    walk(Object.getPrototypeOf(new Set().keys()), 'Object.getPrototypeOf(new Set().keys())');
    walk(Object.getPrototypeOf(''[Symbol.iterator]()), 'Object.getPrototypeOf(""[Symbol.iterator]())');
    walk(Object.getPrototypeOf(''.matchAll(/x/g)), 'Object.getPrototypeOf("".matchAll(/x/g))');
    walk(Object.getPrototypeOf((function* () {})()), 'Object.getPrototypeOf((function* () {})())');
    walk(Object.getPrototypeOf(new Intl.Segmenter().segment('')), 'Object.getPrototypeOf(new Intl.Segmenter().segment(""))');
    walk(Object.getPrototypeOf([].values().map(Boolean)), 'Object.getPrototypeOf([].values().map(Boolean))');
    return found;
  })()`);
  await executor.cleanup();
  const builtins = /** @type {string[]} */ (output);
  return builtins.flatMap((builtin) => RECEIVERS.map((receiver) => ({ builtin, receiver })));
}

/**
 * Runs cases in child processes, `width` at a time.
 *
 * @param {Case[]} cases
 * @param {{
 *   isolation?: 'thread' | 'process',
 *   width?: number,
 *   onProgress?: (done: number) => void,
 *   onFinding?: (finding: string) => void,
 * }} [options]
 * @returns {Promise<string[]>} what was found, a line each
 */
export async function sweep(
  cases,
  { isolation = 'thread', width = 2, onProgress = () => {}, onFinding = () => {} } = {},
) {
  /** @type {string[]} */
  const findings = [];
  const found = (/** @type {string} */ finding) => {
    findings.push(finding);
    onFinding(finding);
  };
  const queue = [...cases];
  let done = 0;
  const worker = async () => {
    while (queue.length > 0) {
      let batch = queue.splice(0, CASES_PER_CHILD);
      while (batch.length > 0) {
        const before = batch.length;
        const { finished, died, lines } = await runChild(batch, isolation);
        lines.forEach(found);
        batch = batch.slice(finished);
        if (died !== undefined && batch.length > 0) {
          if (died.how !== undefined) found(`${died.how}: ${describeCase(batch[0], died.at)}`);
          const from = died.at + 1;
          batch = from < ARGUMENTS.length ? [{ ...batch[0], from }, ...batch.slice(1)] : batch.slice(1);
        }
        done += before - batch.length;
        onProgress(done);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return findings.sort();
}

/**
 * @param {Case[]} cases
 * @param {'thread' | 'process'} isolation
 * @returns {Promise<{ finished: number, lines: string[], died?: { how?: string, at: number } }>}
 */
function runChild(cases, isolation) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [FILE, isolation, JSON.stringify(cases)], {
      env: ownEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const report = /** @type {import('node:stream').Readable} */ (child.stdio[REPORT]);
    /** @type {string[]} */
    const lines = [];
    let finished = 0;
    // A child may end before it says anything.
    let at = cases[0].from ?? 0;
    let isHung = false;
    const hang = () => {
      isHung = true;
      child.kill('SIGKILL');
    };
    let deadline = setTimeout(hang, CHILD_MS);
    let text = '';
    report.setEncoding('utf8').on('data', (chunk) => {
      const parts = (text + chunk).split('\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        if (part.startsWith('! ')) lines.push(part.slice(2));
        else if (part === 'finished') {
          finished++;
          at = cases[finished]?.from ?? 0;
        } else at = Number(part);
      }
      clearTimeout(deadline);
      deadline = setTimeout(hang, CHILD_MS);
    });
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(deadline);
      if (finished === cases.length) resolve({ finished, lines });
      else if (status === FULL) resolve({ finished, lines, died: { at } });
      else resolve({ finished, lines, died: { how: isHung ? 'hung' : `ended the process (${status ?? signal})`, at } });
    });
  });
}

/** @param {Case} one @param {number} at */
function describeCase({ builtin, receiver }, at) {
  return `Reflect.apply(${builtin}, ${receiver}, ${ARGUMENTS[at]})`;
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} count
 * @param {number} seed
 * @returns {T[]} `count` of them, the same for the same seed
 */
export function sample(list, count, seed) {
  const rest = [...list];
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(Math.floor(next() * rest.length), 1)[0]);
}

/**
 * Tells the parent, which will read the line whatever ends this process next. A stream would hold lines back while the parent is
 * late, and lose them.
 *
 * @param {string} line
 */
function say(line) {
  writeSync(REPORT, `${line}\n`);
}

/**
 * @param {'thread' | 'process'} isolation
 * @param {Case[]} cases
 * @returns {Promise<number>} the exit status
 */
async function runCases(isolation, cases) {
  const options = { isolation, memoryLimitMb: 64, timeoutMs: CALL_MS, maxOperations: 1e9, autoInit: true };
  let lost = 0;
  let executor = new SESExecutor(options);
  for (const one of cases) {
    let from = one.from ?? 0;
    while (from < ARGUMENTS.length) {
      let at = from;
      await executor.sendTools({ at: (/** @type {number} */ reached) => say(`${(at = reached)}`) });
      const before = engineStats();
      const calls = ARGUMENTS.slice(from).map(
        (list, index) => `at(${from + index}); tried(() => Reflect.apply(F, ${one.receiver}, ${list}));
        ${from + index < 3 ? `tried(() => Reflect.construct(F, ${list}));` : ''}`,
      );
      const failure = await executor
        .run(`${PRELUDE} const tried = (call) => { try { call(); } catch { /* A refusal. */ } };
          const F = ${one.builtin}; ${calls.join('\n')} return 1;`)
        .then(() => undefined)
        .catch((error) => error);
      from = failure === undefined ? ARGUMENTS.length : at + 1;
      if (executor.state === 'READY') continue;
      await executor.cleanup();
      const until = performance.now() + END_MS;
      while (engineStats().live > lost && performance.now() < until) await new Promise((done) => setTimeout(done, 5));
      const { live, parked, parkedBytes } = engineStats();
      if (live > lost) {
        lost = live;
        say(`! does not end: ${describeCase(one, at)}`);
      } else if (parked > before.parked && parkedBytes - before.parkedBytes < CHEAP_BYTES) {
        say(`! parked with ${(parkedBytes - before.parkedBytes) >> 20} MB: ${describeCase(one, at)}`);
      }
      if (parked >= PARKED_PER_CHILD) return FULL;
      executor = new SESExecutor(options);
    }
    say('finished');
  }
  return 0;
}

if (argv[1] === FILE) {
  process.exit(await runCases(/** @type {'thread' | 'process'} */ (argv[2]), JSON.parse(argv[3])));
}
