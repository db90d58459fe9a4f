import { performance } from '../contract/clock';
import { ExecutorError, errorOf } from '../contract/errors';
import { PlanGuard } from '../contract/plan-guard';
import { withTimeLimit } from '../contract/time-limit';
import { ToolTimes } from '../contract/tool-times';
import { keepArtifacts } from './artifacts';
import { ProtocolError } from './connection';
import { Deadline } from './deadline';
import { Failures, memoryExceeded } from './failures';
import { preparePage } from './page-program';
import { Run } from './run';
import type { RunStats } from '../contract/executor-types';
import type { CheckedBrowserOptions, RunSettings } from './options';
import type { Artifact, BrowserOutput } from './output';
import type { Tab } from './tab';
import type { Ending } from './run';
import type { NativePageProgram } from '../../native';
import type { Log } from './log';
import type { Endowments } from './endowments';
import type { Programs } from './failures';
import type { AsyncResource } from 'node:async_hooks';

/** Maximum number of pages for one run. The run moves to another page only if none of its code has begun. */
const MAX_PAGES = 3;

/** One run of an executor. */
export interface RunPlan {
  id: number;
  code: string;
  /** of the run, checked */
  options: RunSettings;
  executorOptions: CheckedBrowserOptions;
  /** whether the page has run other programs, or will */
  isLasting: boolean;
  /** provides the page. A further call provides another page, if the previous one ended before code ran in it. */
  takeTab: () => Promise<Tab>;
  given: Endowments;
  log: Log;
  /** of the page */
  programs: Programs;
  /** the asynchronous context of the caller */
  context: AsyncResource;
  /** rejects when the run is ended from outside */
  interrupted: Promise<never>;
  /** called with the page at the end of the run, and whether the page is kept */
  onEnd: (tab: Tab, isKept: boolean) => void;
}

export async function runInPage({
  takeTab,
  interrupted,
  isLasting,
  log,
  onEnd,
  ...run
}: RunPlan): Promise<BrowserOutput> {
  const { id, code, options, executorOptions, given, programs, context } = run;
  const { timeoutMs } = options;
  const startedAt = performance.now();
  const history = isLasting ? programs.history : undefined;
  const preparing = preparePage(code, options, executorOptions, history);
  const failures = new Failures(code, id, programs);
  let tab: Tab;
  let runner: Run;
  let ending: Ending;
  let began: number;
  for (let pages = 1; ; pages++) {
    const taking = takeTab();
    let program: NativePageProgram;
    try {
      const ready = Promise.all([
        preparing,
        withTimeLimit(taking, { timeoutMs, late: () => timeout(timeoutMs), holds: false }),
      ]);
      ready.catch(() => {});
      [program, tab] = await Promise.race([ready, interrupted]);
    } catch (error) {
      // If the run fails before it has its tab, the tab is returned unused.
      if (!isLasting) taking.then((unused) => onEnd(unused, false)).catch(() => {});
      const stats = { durationMs: performance.now() - startedAt, operations: 0, toolCalls: 0, heapUsedBytes: 0 };
      throw withRun(crashOf(error), log, { stats, artifacts: [] });
    }
    programs.add(id, program);
    const plan = PlanGuard.of(options.plan);
    const toolTimes = new ToolTimes(options.toolTimeoutMs, executorOptions.toolTimeoutMs);
    runner = new Run({ id, tab, options: executorOptions, toolTimes, plan, given, log, failures, context });
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

function timeout(timeoutMs: number) {
  return errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, reason: 'deadline' });
}

/** Starts a run and waits until it ends or is ended. */
async function supervise(
  run: Run,
  tab: Tab,
  { timeoutMs, memoryLimitMb }: { timeoutMs: number; memoryLimitMb: number },
  interrupted: Promise<never>,
  start: () => void,
): Promise<Ending> {
  const end = (error: ExecutorError) => run.settle({ error, tabAfter: 'lost' });
  const deadline = new Deadline(timeoutMs, tab, () => end(timeout(timeoutMs)));
  run.onWaiting = (mayStopClock) => deadline.wait(mayStopClock);
  const watched = {
    tab,
    limitMb: memoryLimitMb,
    isIdle: false,
    onExceeded: (facts: Record<string, unknown>) => end(memoryExceeded(memoryLimitMb, facts)),
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

/** The data that the page receives before the program runs. */
function orderFor(
  id: number,
  { input, timeoutMs }: RunSettings,
  executorOptions: CheckedBrowserOptions,
  { tools, variables }: { tools: unknown[]; variables: unknown[] },
) {
  const { maxTransferBytes, maxLogBytes, maxArtifactBytes, collectConsoleLevels } = executorOptions;
  return JSON.stringify({
    run: id,
    limits: { maxTransferBytes, maxLogBytes, maxArtifactBytes, timeoutMs },
    levels: collectConsoleLevels,
    tools,
    variables: [...variables, { names: ['input'], values: input }],
  });
}

/**
 * The error for a run that could not start in its page. A command without an answer means that the browser has ended.
 */
function crashOf(error: unknown) {
  if (!(error instanceof ProtocolError)) return error;
  const reason = `no page could be made: ${error.message}`;
  return errorOf('ERR_BROWSER_CRASHED', { reason }, { reason });
}

/** Adds the facts of a run to its failure. */
function withRun(
  error: unknown,
  log: Log,
  { stats, artifacts, cause }: { stats: RunStats; artifacts: Artifact[]; cause?: { cause: unknown } },
) {
  if (!(error instanceof ExecutorError)) return error;
  const { message, code, severity, retryable, details } = error;
  const logEntries = log.entries;
  const fields = { code, severity, retryable, details, logs: log.text, logEntries, stats };
  const failure = new ExecutorError(message, cause === undefined ? fields : { ...fields, cause: cause.cause });
  // Printed errors leave out the bytes of the artifacts.
  return Object.defineProperty(failure, 'artifacts', { value: artifacts, writable: true, configurable: true });
}
