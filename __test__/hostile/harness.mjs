// Runs ONE attack, the file named by the first argument, on an executor with the isolation named by the second, and prints
// the outcome as one line of JSON. The process has to end by itself with status 0: its survival is part of the test.
//
// A guest program has these tools and variables:
//   echo(value), later(value)   give the value back, at once or as a promise
//   fail(message), failLater    throw and reject with a TypeError that has a code
//   never()                     a promise that is never settled
//   Host.show(value)            what the host's util.inspect prints of the value
//   config                      a variable with objects of several kinds
//
// A scenario exports any of:
//   code        the guest program
//   tools       more tools
//   variables   more variables
//   modules     of the executor; authorized as well
//   onLog       of the executor
//   scenario    (host) => promise of the outcome, instead of one run of `code`
//   rest        (host) => promise of what the outcome says behind ", and ": what there is to see when the attack has ended
// where host is { executor, SESExecutor, api, options, run(code, options), outcomeOf(promise), tools }.

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import * as api from '../../index.mjs';
import { watchHost } from './host-watch.mjs';
import { readAttack } from './suite.mjs';

/** Where the isolates of the executors live that are attacked and of those that scenarios make. */
const isolation = /** @type {'thread' | 'process'} */ (process.argv[3]);
class SESExecutor extends api.SESExecutor {
  /** @param {any} [options] */
  constructor(options) {
    super({ isolation, ...options });
  }
}
const attack = readAttack(process.argv[2]);
const url = new URL(attack.file, import.meta.url);
const scenario = attack.file.endsWith('.mjs') ? await import(url.href) : { code: readFileSync(url, 'utf8') };

/** @param {unknown} value whatever it is */
const textOf = (value) => {
  try {
    return inspect(value).slice(0, 500);
  } catch {
    return 'something that cannot be printed';
  }
};
/** @type {string[]} */
const hostErrors = [];
let isReported = false;
// The suite wants to know what kept this file from its report, while the status stays that of the attack.
process.on('exit', () => {
  if (!isReported) process.stdout.write(`${JSON.stringify({ name: attack.name, hostErrors })}\n`);
});
for (const event of ['unhandledRejection', 'uncaughtException']) {
  process.on(event, (/** @type {unknown} */ error) => hostErrors.push(`${event}: ${textOf(error)}`));
}

const tools = {
  echo: (/** @type {unknown} */ value) => value,
  later: async (/** @type {unknown} */ value) => value,
  fail: (message = 'failed') => {
    throw Object.assign(new TypeError(String(message)), { code: 'E_FAIL' });
  },
  failLater: async (message = 'failed') => {
    throw Object.assign(new TypeError(String(message)), { code: 'E_FAIL' });
  },
  never: async () => new Promise(() => {}),
  Host: { show: (/** @type {unknown} */ value) => inspect(value, INSPECT) },
  ...scenario.tools,
};
const variables = {
  config: {
    list: [1, { deep: true }],
    when: new Date(0),
    map: new Map([['key', new Set([1])]]),
    error: new RangeError('sent'),
    bytes: new Uint8Array(4),
    pattern: /sent/g,
  },
  ...scenario.variables,
};
const modules = scenario.modules ?? {};
const options = {
  ...attack.options,
  ...(scenario.modules && { modules, authorizedImports: Object.keys(modules) }),
  ...(scenario.onLog && { onLog: scenario.onLog }),
};
/** What a thread may take until V8 has let go of it and its isolate is freed, on a busy machine. */
const STUCK_MS = 10_000;
const INSPECT = { depth: 6, compact: true, breakLength: Infinity, maxArrayLength: 40, maxStringLength: 400 };

/** @type {{ code?: string, details?: any }} */
let lastError = {};

/** @param {Promise<any>} promise of `run()` */
async function outcomeOf(promise) {
  try {
    const { output, is_final_answer } = await promise;
    return `${is_final_answer ? 'final' : 'value'} ${inspect(output, INSPECT)}`;
  } catch (error) {
    lastError = /** @type {any} */ (error);
    if (error instanceof api.ExecutorError) return error.code;
    return `no ExecutorError: ${inspect(error)}`;
  }
}

// What every later run must be able to do, whatever an earlier one did.
const NEXT = `
  const numbers = [3, 1, 2].sort().map((number) => number * 2);
  let laps = 0;
  for (let lap = 0; lap < 1000; lap++) laps++;
  const answer = await later({ numbers, bytes: new Uint8Array(1e6), when: new Date(7) });
  console.log('%s of %d', 'log', 1, { a: [1] });
  final_answer([echo(numbers), laps, answer.bytes.length, answer.when, await failLater('x').catch((e) => e.code)]);
`;

/** @param {any} executor */
async function next(executor) {
  try {
    const { output, logs, is_final_answer } = await executor.run(NEXT, { maxOperations: 50_000, timeoutMs: 5_000 });
    const seen = inspect([output, logs, is_final_answer], INSPECT);
    const right = `[ [ [ 2, 4, 6 ], 1000, 1000000, 1970-01-01T00:00:00.007Z, 'E_FAIL' ], 'log of 1 { a: [ 1 ] }', true ]`;
    return seen === right ? 'works' : seen;
  } catch (error) {
    return inspect(error);
  }
}

async function prepared(/** @type {any} */ executor) {
  await executor.init();
  await executor.sendTools(tools);
  await executor.sendVariables(variables);
}

const neighbour = new SESExecutor();
await prepared(neighbour);
const executor = new SESExecutor(options);
await prepared(executor);

const host = {
  SESExecutor,
  api,
  executor,
  options,
  outcomeOf,
  prepared,
  tools,
  run: (/** @type {string} */ code, /** @type {any} */ runOptions) => outcomeOf(executor.run(code, runOptions)),
};

/** How many isolates are still in V8 when they were given time to end. */
async function stuckIsolates() {
  const until = performance.now() + STUCK_MS;
  while (api.engineStats().live > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  return api.engineStats().live;
}
const changes = watchHost();
const baseline = process.memoryUsage.rss();
const started = performance.now();
const outcome = await (scenario.scenario ? scenario.scenario(host) : host.run(scenario.code));
const durationMs = performance.now() - started;
const rest = scenario.rest && (await scenario.rest(host));
// What the attack left to happen later: timers of the host, rejections nobody handles, tools of the old run.
await new Promise((resolve) => setTimeout(resolve, 50));
const peakMb = (process.resourceUsage().maxRSS * 1024 - baseline) / 2 ** 20;
const { state } = executor;
if (state !== 'READY') {
  await executor.cleanup();
  await prepared(executor);
}
const report = {
  name: attack.name,
  outcome: rest === undefined ? outcome : `${outcome}, and ${rest}`,
  details: lastError.details,
  message: /** @type {any} */ (lastError).message,
  state,
  next: await next(executor),
  neighbour: await next(neighbour),
  durationMs,
  peakMb,
  baselineMb: baseline / 2 ** 20,
};
await executor.cleanup();
await neighbour.cleanup();
await new Promise((resolve) => setTimeout(resolve, 20));
const stuck = await stuckIsolates();
const line = JSON.stringify({ ...report, afterwards: executor.state, stuck, hostErrors, hostChanges: changes() });
isReported = true;
process.stdout.write(`${line}\n`);
