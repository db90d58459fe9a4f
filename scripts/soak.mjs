// Runs honest and hostile programs at the same time for a while, each kind on its own executors. It watches the host:
// results, deadlines, waiting times of honest tenants, the event loop, memory. The hostile programs are those below and
// the guest programs of `__test__/hostile/` that take no memory beyond their limit.
//
//   node scripts/soak.mjs [--minutes 10 | --seconds n] [--executors 8] [--isolation thread|process] [--seed 1]
//
// Prints a table and a verdict. The exit status is 1 if a result was wrong, a run did not settle by its deadline + 1 s,
// the 99th percentile of honest runs is over 3 times of what the same tenants have without hostile neighbours, that of
// the event loop's delay is over 10 ms beyond what tools cost, or the host's resident memory at the end is more than
// 100 MB, and what `engineStats()` reports as parked or stuck, above its start. Parked isolates that hold more than 512
// MiB are a finding too, which ends the soak early. Hosts with the default of maxParkedMb would be refused further
// isolates at 2 GiB.

import { readFileSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { generator } from './random.mjs';
import { listAttacks } from '../__test__/hostile/suite.mjs';
import { ExecutorError, SESExecutor, engineStats } from '../index.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const GRACE_MS = 1_000;
const MAX_DELAY_MS = 10;
const MAX_PARKED_BYTES = 512 * 2 ** 20;
/** A timer that is due at once comes this late at least, on this resolution. */
const RESOLUTION_MS = 1;
const SAMPLE_MS = 500;
/** What honest runs may take of what they take without hostile neighbours. */
const MAX_SLOWDOWN = 3;
/** Less is not told apart from the machine's own noise. */
const LEAST_P99_MS = 5;
/** What the host may have grown by. */
const MAX_GROWTH_MB = 100;
/** How long honest tenants are alone first, of the whole, and between two runs of one. */
const ALONE = 0.1;
const PAUSE_MS = 10;
/** What threads may take to end when everything was cleaned up. */
const END_MS = 10_000;
/** How long V8 keeps pages of isolates that are gone: `--memory-pool-timeout`, twice. */
const POOLED_MS = 2_500;
/** Resident memory in MB that an attack may take: others are about one huge value. */
const MAX_PEAK_MB = { thread: 128, process: 512 };

/** Programs that must give their result: `check` gets the output and n. */
const HONEST = [
  {
    name: 'arithmetic',
    code: (n) => `let s = 0; for (let i = 0; i <= ${n}; i++) s += i; s`,
    want: (n) => (n * (n + 1)) / 2,
  },
  { name: 'state', code: (n) => `var kept = ${n}; const twice = () => kept * 2; twice()`, want: (n) => 2 * n },
  { name: 'sync tool', code: (n) => `add(${n}, 1)`, want: (n) => n + 1 },
  {
    name: 'async tools',
    code: (n) => `(await Promise.all([1, 2, 3].map((x) => later(x + ${n})))).join()`,
    want: (n) => [1, 2, 3].map((x) => x + n).join(),
  },
  {
    name: 'final answer',
    code: (n) => `final_answer({ n: ${n}, list: [1n, new Date(0)] })`,
    want: (n) => `{ n: ${n}, list }`,
    isFinal: true,
  },
  {
    name: 'error of the guest',
    code: (n) => `throw new RangeError('n is ${n}')`,
    wantCode: 'ERR_RUNTIME_EXCEPTION',
    wantMessage: (n) => `Runtime exception: RangeError: n is ${n}`,
  },
  {
    name: 'logs',
    code: (n) => `for (let i = 0; i < 50; i++) console.log('line', i, { n: ${n} }); 'logged'`,
    want: () => 'logged',
  },
  { name: 'text', code: (n) => `'x'.repeat(1e5).replaceAll('x', 'yz').length + ${n}`, want: (n) => 200_000 + n },
  { name: 'module', code: (n) => `(await import('units')).twice(${n})`, want: (n) => 2 * n },
];

/** Programs that must end with one of `codes`; undefined: without an error. */
const HOSTILE = [
  { name: 'endless loop', code: 'for (;;);', codes: ['ERR_MAX_OPS_EXCEEDED'] },
  {
    name: 'loop in catch',
    code: 'for (;;) { try { for (;;); } catch {} finally { for (;;); } }',
    codes: ['ERR_MAX_OPS_EXCEEDED'],
  },
  { name: 'endless recursion', code: 'const f = () => f() + 1; f()', codes: ['ERR_RUNTIME_EXCEPTION'] },
  {
    name: 'microtask flood',
    code: 'const spin = () => Promise.resolve().then(spin); await spin()',
    // The buffers of an earlier run may have taken nearly all of the memory.
    codes: ['ERR_EXEC_TIMEOUT', 'ERR_MEMORY_LIMIT_EXCEEDED'],
  },
  { name: 'promise that never settles', code: 'await new Promise(() => {})', codes: ['ERR_EXEC_TIMEOUT'] },
  { name: 'tool that never answers', code: 'await never()', codes: ['ERR_EXEC_TIMEOUT'] },
  { name: 'backtracking', code: '/(a*)*b/.test("a".repeat(50))', codes: ['ERR_EXEC_TIMEOUT'] },
  {
    name: 'built-in without interrupts',
    code: 'Array.prototype.lastIndexOf.call({ length: 3e7 }, 1); for (;;);',
    codes: ['ERR_EXEC_TIMEOUT', 'ERR_MAX_OPS_EXCEEDED'],
  },
  {
    name: 'heap bomb',
    code: 'const hoard = []; const f = () => { hoard.push(new Array(1000).fill(0.5)); }; Array.from({ length: 1e9 }, f)',
    codes: ['ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_EXEC_TIMEOUT'],
  },
  {
    name: 'buffer bomb',
    code: 'const hoard = []; Array.from({ length: 1e6 }, () => hoard.push(new Uint8Array(1e6)))',
    // The RangeError ends the run and leaves what it declared: later runs have no more than is left.
    fills: true,
    codes: ['ERR_RUNTIME_EXCEPTION', 'ERR_MEMORY_LIMIT_EXCEEDED'],
  },
  {
    name: 'BigInt power',
    code: '2n ** (2n ** 30n)',
    codes: ['ERR_RUNTIME_EXCEPTION', 'ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_EXEC_TIMEOUT'],
  },
  {
    name: 'string that doubles',
    code: 'let s = "x"; for (;;) { s += s; s.charCodeAt(0); }',
    codes: ['ERR_RUNTIME_EXCEPTION', 'ERR_MEMORY_LIMIT_EXCEEDED'],
  },
  { name: 'tool calls without await', code: 'for (let i = 0; i < 500; i++) later(i); "done"', codes: [undefined] },
  {
    name: 'log flood',
    code: 'for (let i = 0; i < 4000; i++) console.log("x".repeat(1000)); "done"',
    codes: [undefined],
  },
  { name: 'deep result', code: 'let o = 1; for (let i = 0; i < 4000; i++) o = [o]; o', codes: [undefined] },
  { name: 'nested parentheses', code: '('.repeat(20_000) + '1' + ')'.repeat(20_000), codes: ['ERR_VALIDATION_FAILED'] },
  { name: 'constructor chain', code: 'add.constructor("return process")()', codes: ['ERR_RUNTIME_EXCEPTION'] },
  {
    name: 'hostile argument',
    code: 'add(new Proxy({}, { get() { for (;;); } }), 1)',
    codes: ['ERR_TOOL_PROXY_FAIL', 'ERR_MAX_OPS_EXCEEDED', 'ERR_RUNTIME_EXCEPTION'],
  },
  {
    name: 'unhandled rejections',
    code: 'for (let i = 0; i < 500; i++) Promise.reject(new Error("x")); "done"',
    codes: [undefined],
  },
];

/**
 * Guest programs of the attacks. Those on memory may park a thread each. Whatever becomes of one is coded, and no
 * crash.
 */
const attacksFor = (isolation) =>
  listAttacks('thread')
    .filter(({ file, group }) => file.endsWith('.js') && (isolation === 'process' || group !== 'memory'))
    .filter(({ peaksMb, stuck }) => peaksMb.thread <= MAX_PEAK_MB[isolation] && stuck.thread === 0)
    .map(({ name, file }) => ({
      name,
      code: readFileSync(new URL(`../__test__/hostile/${file}`, import.meta.url), 'utf8'),
      fills: true,
    }));

const counts = { runs: 0, honest: 0, hostile: 0, inits: 0, full: 0 };
const codes = new Map();
/** How many isolates each program has had parked, by its name. */
const parked = new Map();
const findings = [];
/** Executors whose memory an earlier run has filled and kept. */
const full = new WeakSet();
let toolMs = 0;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string' },
    isolation: { type: 'string', default: 'thread' },
    executors: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() >>> 0) },
  },
});
const [minutes, executors, seed] = [
  values.seconds === undefined ? values.minutes : Number(values.seconds) / 60,
  values.executors,
  values.seed,
].map(Number);
const { isolation } = values;
if (
  !(minutes > 0 && Number.isSafeInteger(executors) && executors > 1 && Number.isSafeInteger(seed)) ||
  !['thread', 'process'].includes(isolation)
) {
  console.error(
    'usage: node scripts/soak.mjs [--minutes number | --seconds number] [--executors integer] [--isolation thread|process] [--seed integer]',
  );
  process.exit(2);
}
const attacks = attacksFor(isolation);
await soak();

async function soak() {
  await baseline();
  const memory = watchMemory();
  const end = performance.now() + minutes * 60e3;
  const tenants = Math.ceil(executors / 2);
  const honest = (until, from) =>
    Promise.all(Array.from({ length: tenants }, (_, k) => serveHonest(generator(seed + from + k), until)));
  const alone = (await honest(performance.now() + minutes * 60e3 * ALONE, 0)).flat();
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const [beside] = await Promise.all([
    honest(end, 100),
    ...Array.from({ length: executors - tenants }, (_, k) => serveHostile(generator(seed + 200 + k), end)),
  ]);
  delays.disable();
  await ended();
  print({ ...memory.stop(), delays, alone, beside: beside.flat() });
  process.exitCode = findings.length === 0 ? 0 : 1;
}

/** Isolates that were given up are gone, and what is kept of them for the next ones, or have had the time for it. */
async function ended() {
  const until = performance.now() + END_MS;
  while (engineStats().live > 0 && performance.now() < until) await sleep(20);
  collect();
  for (let before = Infinity, now = 0; now < before - 1 && performance.now() < until;) {
    before = process.memoryUsage.rss() / 2 ** 20;
    await sleep(POOLED_MS);
    now = process.memoryUsage.rss() / 2 ** 20;
  }
}

/** Everything is loaded and has run once before anything is measured. */
async function baseline() {
  const executor = await makeExecutor();
  for (const program of HONEST) await runHonest(executor, program, 1);
  await executor.cleanup();
  counts.runs = counts.honest = counts.inits = 0;
  codes.clear();
}

async function makeExecutor() {
  const executor = new SESExecutor({
    isolation,
    maxOperations: 100_000,
    memoryLimitMb: 64,
    // The soak has its own bound.
    maxParkedMb: 65_536,
    authorizedImports: ['units'],
    modules: { units: 'export const twice = (x) => 2 * x;' },
  });
  counts.inits++;
  await executor.init();
  await executor.sendTools({
    add: (a, b) => costs(() => a + b),
    later: async (x) => costs(() => x),
    never: () => new Promise(() => {}),
    // What attacks call.
    echo: (value) => value,
    fail: () => {
      throw new TypeError('failed');
    },
    failLater: async () => {
      throw new TypeError('failed');
    },
    Host: { show: () => '' },
  });
  return executor;
}

/** Time of tools is the host's own. */
function costs(work) {
  const started = performance.now();
  const result = work();
  toolMs += performance.now() - started;
  return result;
}

/**
 * Honest programs on one executor until `end`, as a tenant has them run. Returns what each run has taken, in
 * milliseconds.
 */
async function serveHonest(random, end) {
  const executor = await makeExecutor();
  const times = [];
  while (performance.now() < end && !isFullOfParked()) {
    const began = performance.now();
    await runHonest(executor, HONEST[random(HONEST.length)], random(1000));
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  await executor.cleanup();
  return times;
}

/** One executor after the other until `end`, with one program after the other, most of them hostile. */
async function serveHostile(random, end) {
  while (performance.now() < end && !isFullOfParked()) {
    const executor = await makeExecutor();
    // What an attack has defined is there for the next run: honest ones come after the others only.
    const programs = random(2) === 0 ? HOSTILE : attacks;
    // Now and then one that is fine is given up as well.
    while (performance.now() < end && executor.state === 'READY' && random(50) > 0) {
      if (programs === HOSTILE && random(2) === 0)
        await runHonest(executor, HONEST[random(HONEST.length)], random(1000));
      else await runHostile(executor, programs[random(programs.length)]);
    }
    await executor.cleanup();
  }
}

function isFullOfParked() {
  return engineStats().parkedBytes > MAX_PARKED_BYTES;
}

async function runHonest(executor, program, n) {
  counts.honest++;
  const result = await timed(program.name, executor, program.code(n), 5_000);
  if (result === undefined || isFull(executor, result.error)) return;
  const { value, error } = result;
  if (program.wantCode) {
    if (error?.code !== program.wantCode || error.message !== program.wantMessage(n)) wrong(program, error ?? value);
  } else if (error) wrong(program, error);
  else if (program.isFinal) {
    const { n: m, list } = value.output ?? {};
    if (!value.is_final_answer || m !== n || list?.[0] !== 1n || +list[1] !== 0) wrong(program, value);
  } else if (value.output !== program.want(n)) wrong(program, value);
}

/** Whether a run met the memory limit because there was hardly any memory left when it began. */
function isFull(executor, error) {
  if (error?.code !== 'ERR_MEMORY_LIMIT_EXCEEDED' || !full.has(executor)) return false;
  counts.full++;
  return true;
}

async function runHostile(executor, program) {
  counts.hostile++;
  const result = await timed(program.name, executor, program.code, 300);
  if (program.fills) full.add(executor);
  if (result === undefined || isFull(executor, result.error)) return;
  // Any of them may take longer than it has.
  const { error } = result;
  const isExpected = program.codes?.includes(error?.code) ?? error?.code !== 'ERR_WORKER_LOST';
  if (error?.code === 'ERR_EXEC_TIMEOUT' || isExpected) return;
  wrong(program, error ?? 'no error');
}

/** How the run ended, by its deadline + GRACE_MS; undefined if it has not, which is a finding. */
async function timed(name, executor, code, timeoutMs) {
  counts.runs++;
  let bound;
  const late = new Promise((resolve) => (bound = setTimeout(resolve, timeoutMs + GRACE_MS, 'late')));
  const run = executor.run(code, { timeoutMs }).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  const result = await Promise.race([run, late]);
  clearTimeout(bound);
  const key =
    result === 'late' ? 'not settled in time' : (result.error?.code ?? (result.error ? 'not coded' : 'fulfilled'));
  codes.set(key, (codes.get(key) ?? 0) + 1);
  if (result.error?.details?.parked) parked.set(name, (parked.get(name) ?? 0) + 1);
  if (result === 'late') {
    findings.push(`${name}: not settled ${GRACE_MS} ms after its deadline of ${timeoutMs} ms`);
    await executor.cleanup();
    return undefined;
  }
  if (result.error && !(result.error instanceof ExecutorError)) findings.push(`${name}: ${result.error.stack}`);
  return result;
}

function wrong({ name }, what) {
  const details = what?.details === undefined ? '' : JSON.stringify(what.details);
  findings.push(`${name}: ${what?.code ?? ''} ${what?.message ?? JSON.stringify(what)} ${details}`);
}

function watchMemory() {
  const rssMb = () => process.memoryUsage.rss() / (1 << 20);
  const start = rssMb();
  let peak = start;
  let threadsPeak = threads();
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb());
    threadsPeak = Math.max(threadsPeak, threads());
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return { rss: { start, end: rssMb(), peak }, threads: { end: threads(), peak: threadsPeak } };
    },
  };
}

function threads() {
  try {
    return readdirSync('/proc/self/task').length;
  } catch {
    return NaN;
  }
}

/** Peak of resident memory as the system saw it, between samples too. */
function highWaterMb() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  } catch {
    return NaN;
  }
}

function print({ rss, threads, delays, alone, beside }) {
  // The histogram has intervals of a timer, of which the resolution is what they should be.
  const ms = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const [p50, p99, max] = [ms(delays.percentile(50)), ms(delays.percentile(99)), ms(delays.max)];
  const toolMsPerCall = counts.runs === 0 ? 0 : toolMs / counts.runs;
  if (p99 - toolMsPerCall > MAX_DELAY_MS)
    findings.push(`99th percentile of the event loop's delay: ${p99.toFixed(2)} ms`);
  const stats = engineStats();
  const parkedMb = (stats.parkedBytes / 2 ** 20).toFixed();
  if (stats.parkedBytes > MAX_PARKED_BYTES) findings.push(`${stats.parked} parked isolates hold ${parkedMb} MiB`);
  const [aloneMs, besideMs] = [alone, beside].map((times) => percentile(times, 0.99));
  if (besideMs > MAX_SLOWDOWN * Math.max(aloneMs, LEAST_P99_MS)) {
    findings.push(
      `honest runs beside hostile ones: 99th percentile ${besideMs.toFixed(1)} ms, alone ${aloneMs.toFixed(1)} ms`,
    );
  }
  const reportedMb = (stats.parkedBytes + stats.stuckBytes) / 2 ** 20;
  const grownMb = rss.end - rss.start - reportedMb;
  if (grownMb > MAX_GROWTH_MB) findings.push(`the host has ${grownMb.toFixed()} MiB more that nobody reports`);
  const rows = {
    'minutes, executors, isolation, seed': `${minutes.toFixed(2)}, ${executors}, ${isolation}, ${seed}`,
    'honest runs alone: p50, p99 (ms)': `${percentile(alone, 0.5).toFixed(2)}, ${aloneMs.toFixed(2)}`,
    'honest runs beside hostile: p50, p99 (ms)': `${percentile(beside, 0.5).toFixed(2)}, ${besideMs.toFixed(2)}`,
    'resident memory nobody reports (MiB)': grownMb.toFixed(),
    'runs (honest, hostile)': `${counts.runs} (${counts.honest}, ${counts.hostile})`,
    'executors made': counts.inits,
    'memory limit met, full before': counts.full,
    ...Object.fromEntries([...codes].sort(([, a], [, b]) => b - a).map(([code, count]) => [`outcome ${code}`, count])),
    'event loop delay p50, p99, max (ms)': [p50, p99, max].map((delay) => delay.toFixed(2)).join(', '),
    'time in tools (ms in all, per run)': `${toolMs.toFixed(1)}, ${toolMsPerCall.toFixed(4)}`,
    'RSS start, end, peak (MiB)': [rss.start, rss.end, Math.max(rss.peak, highWaterMb())]
      .map((mb) => mb.toFixed())
      .join(', '),
    'threads end, peak': `${threads.end}, ${threads.peak}`,
    'parked isolates': `${stats.parked} (${parkedMb} MiB)`,
    ...Object.fromEntries([...parked].map(([name, count]) => [`parked by ${name}`, count])),
    findings: findings.length,
  };
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(width)}  ${value}`);
  for (const finding of findings.slice(0, 20)) console.error(`FINDING ${finding}`);
  console.log(findings.length === 0 ? 'VERDICT: held' : `VERDICT: broken, ${findings.length} findings`);
}

/** @param {number[]} values @param {number} part */
function percentile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}
