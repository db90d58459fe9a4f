// @ts-check
'use strict';

const { performance } = require('../contract/clock');
const { ExecutorError, errorOf } = require('../contract/errors');
const { withTimeLimit } = require('../contract/time-limit');
const { keepArtifacts } = require('./artifacts');
const { ProtocolError } = require('./connection');
const { Deadline } = require('./deadline');
const { Failures, memoryExceeded } = require('./failures');
const { preparePage } = require('./page-program');
const { Run } = require('./run');

/** Pages that a run gets one after the other, as long as nothing of it has begun in the one before. */
const MAX_PAGES = 3;

/**
 * One run of an executor.
 *
 * @typedef {object} RunPlan
 * @property {number} id
 * @property {string} code
 * @property {any} options of the run, checked
 * @property {any} executorOptions
 * @property {boolean} isLasting whether the page has run other programs, or will
 * @property {() => Promise<import('./tab').Tab>} takeTab gives the page; again: another one, where that has ended before code ran in it
 * @property {import('./endowments').Endowments} given
 * @property {import('./log').Log} log
 * @property {import('./failures').Programs} programs of the page
 * @property {import('node:async_hooks').AsyncResource} context the asynchronous context of the caller
 * @property {Promise<never>} interrupted rejects when it is ended from outside
 * @property {(tab: import('./tab').Tab, isKept: boolean) => void} onEnd what becomes of the page
 */

/**
 * @param {RunPlan} plan
 * @returns {Promise<import('./index').BrowserOutput>}
 */
async function runInPage({ takeTab, interrupted, isLasting, log, onEnd, ...run }) {
  const { id, code, options, executorOptions, given, programs, context } = run;
  const { timeoutMs } = options;
  const startedAt = performance.now();
  const history = isLasting ? programs.history : undefined;
  const preparing = preparePage(code, options, executorOptions, history);
  const failures = new Failures(code, id, programs);
  const toolTimeoutMs = options.toolTimeoutMs ?? executorOptions.toolTimeoutMs ?? undefined;
  /** @type {import('./tab').Tab} */
  let tab;
  /** @type {Run} */
  let runner;
  /** @type {import('./run').Ending} */
  let ending;
  /** @type {number} */
  let began;
  for (let pages = 1; ; pages++) {
    const taking = takeTab();
    /** @type {import('../../native').NativePageProgram} */
    let program;
    try {
      const ready = Promise.all([
        preparing,
        withTimeLimit(taking, { timeoutMs, late: () => timeout(timeoutMs), holds: false }),
      ]);
      ready.catch(() => {});
      [program, tab] = await Promise.race([ready, interrupted]);
    } catch (error) {
      // A run that does not get so far leaves its tab to nobody.
      if (!isLasting) taking.then((unused) => onEnd(unused, false)).catch(() => {});
      const stats = { durationMs: performance.now() - startedAt, operations: 0, toolCalls: 0, heapUsedBytes: 0 };
      throw withRun(crashOf(error), log, { stats, artifacts: [] });
    }
    programs.add(id, program);
    runner = new Run({ id, tab, options: { ...executorOptions, toolTimeoutMs }, given, log, failures, context });
    began = performance.now();
    const order = orderFor(id, options, executorOptions, given.forPage(isLasting));
    const start = () => runner.start(program.code, order);
    ending = await supervise(runner, tab, { ...executorOptions, ...options }, interrupted, start);
    if (ending.error?.code !== 'ERR_BROWSER_CRASHED' || tab.hasRun || pages === MAX_PAGES) break;
    tab.close();
  }
  const stats = {
    durationMs: performance.now() - began,
    operations: 0,
    toolCalls: runner.toolCalls,
    heapUsedBytes: runner.heapUsedBytes,
  };
  const { error, cause, tabAfter } = ending;
  if (isLasting && tabAfter === 'idle') tab.end();
  const isKept = isLasting && (tabAfter === 'idle' || (tabAfter === 'busy' && (await tab.interrupt())));
  if (isKept) tab.rest(executorOptions.memoryLimitMb);
  if (error?.code === 'ERR_EXEC_TIMEOUT') tab.abandon();
  onEnd(tab, isKept);
  const artifacts = await keepArtifacts(runner.artifacts, executorOptions.artifactsDir, (text) =>
    log.add('warn', text),
  );
  if (error !== undefined) throw withRun(error, log, { stats, artifacts, cause });
  const { output, isFinal = false } = ending;
  return { output, logs: log.text, is_final_answer: isFinal, logEntries: log.entries, stats, artifacts };
}

/** @param {number} timeoutMs */
function timeout(timeoutMs) {
  return errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, reason: 'deadline' });
}

/**
 * Starts a run and waits until it ends, by itself or not.
 *
 * @param {Run} run
 * @param {import('./tab').Tab} tab
 * @param {any} options
 * @param {Promise<never>} interrupted
 * @param {() => void} start
 * @returns {Promise<import('./run').Ending>}
 */
async function supervise(run, tab, { timeoutMs, memoryLimitMb }, interrupted, start) {
  const end = (/** @type {any} */ error) => run.settle({ error, tabAfter: 'lost' });
  const deadline = new Deadline(timeoutMs, tab, () => end(timeout(timeoutMs)));
  run.onWaiting = (isWaiting) => deadline.wait(isWaiting);
  const watched = {
    tab,
    limitMb: memoryLimitMb,
    isIdle: false,
    onExceeded: (/** @type {Record<string, unknown>} */ facts) => end(memoryExceeded(memoryLimitMb, facts)),
  };
  tab.memory.add(watched);
  interrupted.catch(end);
  try {
    start();
    return await run.ended;
  } finally {
    deadline.stop();
    tab.memory.remove(watched);
  }
}

/**
 * What the page gets to know before the program runs.
 *
 * @param {number} id
 * @param {any} options
 * @param {any} executorOptions
 * @param {{ tools: any[], variables: any[] }} given
 */
function orderFor(id, { input }, executorOptions, { tools, variables }) {
  const { maxTransferBytes, maxLogBytes, maxArtifactBytes, collectConsoleLevels } = executorOptions;
  return JSON.stringify({
    run: id,
    limits: { maxTransferBytes, maxLogBytes, maxArtifactBytes },
    levels: collectConsoleLevels,
    tools,
    variables: [...variables, { names: ['input'], values: input }],
  });
}

/**
 * What has kept a run from its page: a command that the browser has not answered means that it has ended.
 *
 * @param {unknown} error
 */
function crashOf(error) {
  if (!(error instanceof ProtocolError)) return error;
  const reason = `no page could be made: ${error.message}`;
  return errorOf('ERR_BROWSER_CRASHED', { reason }, { reason });
}

/**
 * Adds what is known of a run to its failure.
 *
 * @param {any} error
 * @param {import('./log').Log} log
 * @param {{ stats: any, artifacts: import('./index').Artifact[], cause?: { cause: unknown } }} run
 */
function withRun(error, log, { stats, artifacts, cause }) {
  if (!(error instanceof ExecutorError)) return error;
  const { message, code, severity, retryable, details } = error;
  const logEntries = log.entries;
  const fields = { code, severity, retryable, details, logs: log.text, logEntries, stats };
  const failure = new ExecutorError(message, cause === undefined ? fields : { ...fields, cause: cause.cause });
  // An error that is printed leaves out their bytes.
  return Object.defineProperty(failure, 'artifacts', { value: artifacts, writable: true, configurable: true });
}

module.exports = { runInPage };
