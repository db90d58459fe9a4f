import { AsyncResource } from 'node:async_hooks';

import { makeDisposable } from '../contract/await-using';
import { clearInterval, setInterval } from '../contract/clock';
import { describe } from '../contract/describe';
import { ExecutorError, abortedBeforeStart, errorOf } from '../contract/errors';
import { withTimeLimit } from '../contract/time-limit';
import { Lifecycle, REFUSALS } from '../contract/lifecycle';
import { Readiness, recovered } from '../contract/readiness';
import { onAbort } from '../contract/signals';
import { SharedStartup } from '../contract/shared-startup';
import { flattenTools } from '../contract/tool-registry';
import { traceRun } from '../contract/tracing';
import { encodeVariables, namesOfVariables } from '../contract/variables';
import { NoBrowserError, sharedBrowser } from './browsers';
import { Endowments, refuseName } from './endowments';
import { checkBrowserOptions, checkBrowserRunOptions } from './options';
import { LibraryError } from './libraries';
import { Pages } from './pages';
import { runInPage } from './page-run';
import { loadPreparation } from './page-program';
import { RunQueue } from './run-queue';
import { encode } from './values';
import type { AwaitUsing } from '../contract/await-using';
import type { BrowserExecutorOptions, BrowserRunOptions, RunSettings } from './options';
import type { BrowserOutput } from './output';
import type { Executor, ExecutorState } from '../contract/executor-types';
import type { Tools } from '../contract/tool-types';

/** @internal */
export type RunJob = import('./run-queue').Job & RunFacts;

/** @internal */
export interface RunFacts {
  code: string;
  /** of the run, checked */
  options: RunSettings;
  /** the asynchronous context of the caller, in which tools are called */
  context: AsyncResource;
  reject: (error: unknown) => void;
}

/**
 * Runs guest code in pages of Chrome. The first `init()` starts the browser. Executors of this process with the same
 * `executablePath` and `sandbox` share it. The browser ends with the process, or half a minute after the last
 * `cleanup()`.
 *
 * In addition to variables and tools, guest code has `input`, `final_answer(value)`, `getCanvas(width, height)` and
 * `saveArtifact(name, blob | canvas | bytes | text)`.
 *
 * @example
 * ```js
 * const executor = new BrowserExecutor({ artifactsDir: 'charts' });
 * await executor.init();
 * const { artifacts } = await executor.run('getCanvas(400, 300).getContext("2d").fillRect(10, 10, 50, 50)');
 * await executor.cleanup();
 * ```
 */
export class BrowserExecutor implements Executor {
  #options;
  #lifecycle = new Lifecycle();
  #shared;
  #starting = new SharedStartup();
  /** Ends the `init()` that is in progress. */
  #endStart: (error: Error) => void = () => {};
  #readiness;
  /** Whether the run under way has found that no browser can be started. */
  #isGone = false;
  #runs = 0;
  #endowments = new Endowments();
  /** Replaced at each cleanup. Operations that began before it no longer affect the executor. */
  #pages;
  #queue = new RunQueue((job) => this.#begin(job));
  /** Runs the code if no browser is available. */
  #fallback: import('./fallback-executor').FallbackExecutor | undefined;

  /**
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(options?: BrowserExecutorOptions) {
    this.#options = checkBrowserOptions(options);
    this.#shared = sharedBrowser(this.#options);
    this.#pages = this.#newPages();
    this.#readiness = new Readiness(this.#options, {
      state: () => this.state,
      isLost: () => this.state === 'DIRTY',
      init: () => this.init(),
      renew: () => this.#renew(),
    });
    if (!this.#options.sandbox) {
      process.emitWarning(
        'options.sandbox is false: guest code has the rights of this process. Use it only for your own code.',
        {
          type: 'SESExecutorWarning',
          code: 'SES_EXECUTOR_NO_SANDBOX',
        },
      );
    }
  }

  /** The current state, as for `SESExecutor`. */
  get state(): ExecutorState {
    return this.#lifecycle.state;
  }

  /** Whether each run has its own page, or all runs share one; see the option. */
  get isolation(): 'run' | 'session' {
    return this.#options.isolation;
  }

  /** Starts the browser if none is running. Rejects with `ERR_BROWSER_INIT_FAILED` and `ERR_INVALID_STATE`. */
  async init(): Promise<void> {
    this.#lifecycle.refuse('init');
    if (this.state === 'READY') return;
    this.#lifecycle.apply('init');
    await this.#starting.join(() => this.#start());
  }

  /**
   * Passes these variables to each following run, as structured clones. Legal in `READY`. With `runConcurrency:
   * "queue"` it is also legal in `RUNNING`, where the call waits in the queue.
   */
  async sendVariables(variables: Record<string, unknown>): Promise<void> {
    const names = namesOfVariables(variables);
    for (const name of names) refuseName(name, 'variables');
    const values = encodeVariables(variables, names, this.#options.maxTransferBytes, encode);
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    await this.#setUp('sendVariables', () => {
      this.#endowments.takeVariables(names, values);
      this.#fallback?.tell((executor) => executor.sendVariables(variables));
    });
  }

  /** Passes these functions to each following run. Legal in the states of {@link sendVariables}. */
  async sendTools(tools: Tools): Promise<void> {
    const flat = flattenTools(tools);
    for (const { path } of flat) refuseName(path[0], 'tools');
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    await this.#setUp('sendTools', () => {
      this.#endowments.takeTools(flat, tools);
      this.#fallback?.tell((executor) => executor.sendTools(tools));
    });
  }

  /**
   * Runs guest code. After a deadline or an abort the executor is `READY`, or `DIRTY` with `isolation: "session"`.
   * Rejects like `SESExecutor.run`, with {@link BrowserExecutorError}, and with `ERR_BROWSER_CRASHED`.
   */
  async run(code: string, options?: BrowserRunOptions): Promise<BrowserOutput> {
    return await traceRun(this, code, () => this.#run(code, options));
  }

  /** Ends the current run and closes its page. Legal in any state; afterwards the state is `DEAD`. */
  async cleanup(): Promise<void> {
    const left = this.#leave();
    this.#endowments.clear();
    this.#readiness.forget();
    await left;
  }

  // --- beginning ---------------------------------------------------------------------------------------------------

  /** Closes the page, or its replacement. The sent variables and tools are kept. */
  async #leave() {
    const fallback = this.#fallback;
    this.#fallback = undefined;
    this.#starting.forget();
    this.#lifecycle.apply('cleanup');
    this.#endStart(this.#lifecycle.illegal('init', REFUSALS.CLEANED_UP));
    this.#refuseAll(REFUSALS.CLEANED_UP);
    this.#pages.close();
    this.#pages = this.#newPages();
    this.#shared.leave(this);
    await fallback?.cleanup();
  }

  /** Creates a page in place of one that is lost. The tools are kept. */
  #renew() {
    void this.#leave();
    this.#endowments.forgetVariables();
    return this.init();
  }

  #newPages() {
    return new Pages(this.#options, this.#shared, this.#endowments);
  }

  async #start() {
    const pages = this.#pages;
    const left: Promise<never> = new Promise((_, reject) => (this.#endStart = reject));
    left.catch(() => {});
    try {
      const joined = this.#shared.join(this, this.#options);
      // Loading the addon takes a moment. The browser starts in the meantime.
      loadPreparation();
      await staying(Promise.race([joined, left]));
      // The page of a session is created here, so that it is ready for the first run.
      if (pages.isLasting) await staying(Promise.race([pages.take(), left]));
    } catch (error) {
      if (pages !== this.#pages) throw this.#lifecycle.illegal('init', REFUSALS.CLEANED_UP);
      if (error instanceof LibraryError) {
        this.#lifecycle.apply('initFailed');
        throw error;
      }
      this.#doWithout(error as Error);
    }
    if (pages !== this.#pages) {
      if (this.state === 'DEAD') this.#shared.leave(this);
      throw this.#lifecycle.illegal('init', REFUSALS.CLEANED_UP);
    }
    this.#lifecycle.apply('initialized');
  }

  /**
   * No browser can be started. `SESExecutor` takes the runs from now on, if the options allow it.
   * @param error that says why
   */
  #doWithout({ message: reason }: Error) {
    if (!this.#options.fallback) {
      this.#lifecycle.apply('initFailed');
      this.#isGone = true;
      throw errorOf('ERR_BROWSER_INIT_FAILED', { details: reason }, { reason });
    }
    const { FallbackExecutor } = require('./fallback-executor') as typeof import('./fallback-executor');
    this.#fallback = new FallbackExecutor(this.#options, this.#endowments, reason);
  }

  async #run(code: string, options?: BrowserRunOptions): Promise<BrowserOutput> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const checked = checkBrowserRunOptions(options, this.#options.maxTransferBytes);
    const timeoutMs = checked.timeoutMs ?? this.#options.timeoutMs;
    const { signal } = checked;
    const aborted = (reason: unknown) => abortedBeforeStart(reason, timeoutMs);
    const refuseIfAborted = () => {
      if (signal?.aborted) throw aborted(signal.reason);
    };
    refuseIfAborted();
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await withTimeLimit(ready, { signal, aborted });
    refuseIfAborted();
    this.#lifecycle.refuse('run');
    const language = checked.language ?? this.#options.language;
    const isFirst = this.#readiness.beginRun();
    try {
      const output = await this.#enqueue(code, { ...checked, timeoutMs, language });
      return isFirst ? recovered(output) : output;
    } catch (error) {
      if (isFirst && error instanceof ExecutorError) error.details = recovered({ ...error.details });
      throw error;
    }
  }

  // --- queued runs ------------------------------------------------------------------------------------------------

  async #setUp(operation: 'sendVariables' | 'sendTools', apply: () => void) {
    this.#lifecycle.refuse(operation);
    if (this.state === 'READY') return apply();
    this.#refuseFullQueue(operation);
    await new Promise((resolve, reject) => {
      this.#queue.add({ operation, apply, resolve, interrupt: reject });
    });
  }

  async #enqueue(code: string, options: RunSettings): Promise<BrowserOutput> {
    if (this.state === 'RUNNING') this.#refuseFullQueue('run');
    const { signal, timeoutMs } = options;
    let stopListening: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const context = new AsyncResource('BrowserExecutorRun');
        const job: RunJob = { operation: 'run', code, options, context, resolve, reject, interrupt: reject };
        const abort = () => this.#queue.abort(job, abortedBeforeStart(signal?.reason, timeoutMs));
        stopListening = signal && onAbort(signal, abort);
        if (this.state === 'RUNNING') this.#queue.add(job);
        else this.#queue.start(job);
      });
    } catch (error) {
      throw withStackOf(error);
    } finally {
      stopListening?.();
    }
  }

  #begin(job: RunJob) {
    this.#lifecycle.apply('runStarted');
    this.#isGone = false;
    const pages = this.#pages;
    staying(this.#perform(job, pages)).then(
      (output) => this.#finish(pages, () => job.resolve(output)),
      (error) => this.#finish(pages, () => job.reject(error)),
    );
  }

  #finish(pages: Pages, settle: () => void) {
    settle();
    if (pages !== this.#pages) return;
    this.#lifecycle.apply('runEnded');
    if (this.state === 'DIRTY') return this.#refuseAll(REFUSALS.LEFT_DIRTY);
    this.#queue.next();
    if (this.#isGone && this.state === 'READY') this.#lifecycle.apply('cleanup');
  }

  #refuseAll(hint: string) {
    this.#queue.refuseAll((operation) => this.#lifecycle.illegal(operation, hint));
  }

  // --- one run -----------------------------------------------------------------------------------------------------

  async #perform(job: RunJob, pages: Pages): Promise<BrowserOutput> {
    if (this.#fallback !== undefined) return this.#performWithout(job);
    const { code, options, context } = job;
    const { isLasting } = pages;
    const interrupted: Promise<never> = new Promise((_, reject) => (job.interrupt = reject));
    interrupted.catch(() => {});
    const performed = runInPage({
      id: ++this.#runs,
      code,
      options,
      executorOptions: this.#options,
      isLasting,
      takeTab: () => pages.take(),
      given: this.#endowments,
      log: pages.newLog(),
      programs: pages.programs,
      context,
      interrupted,
      onEnd: (tab, isKept) => {
        if (!isKept) {
          tab.close();
          if (isLasting && pages === this.#pages) {
            pages.forget();
            this.#lifecycle.apply('corrupted');
          }
        }
        this.#shared.refill();
      },
    });
    const counted = isLasting ? performed : this.#shared.expect(this.#options.origins, performed);
    return counted.catch((error) => {
      if (!(error instanceof NoBrowserError) || pages !== this.#pages) throw error;
      this.#doWithout(error);
      return this.#performWithout(job);
    });
  }

  /** One run without a browser. */
  async #performWithout(job: RunJob) {
    const { code, options, context } = job;
    const fallback = this.#fallback as import('./fallback-executor').FallbackExecutor;
    // The isolate reports an abort, because it has the log.
    job.interrupt = (error) => options.signal?.aborted || job.reject(error);
    try {
      return await context.runInAsyncScope(() => fallback.run(code, options));
    } finally {
      if (fallback.isDirty && fallback === this.#fallback) this.#lifecycle.apply('corrupted');
    }
  }

  // --- what is refused ---------------------------------------------------------------------------------------------

  #refuseFullQueue(operation: string) {
    const { runConcurrency, maxQueuedRuns } = this.#options;
    if (runConcurrency !== 'queue') {
      throw this.#lifecycle.illegal(operation, REFUSALS.NO_QUEUE);
    }
    if (this.#queue.waiting >= maxQueuedRuns) {
      throw this.#lifecycle.illegal(operation, REFUSALS.QUEUE_FULL, { maxQueuedRuns });
    }
  }
}
export interface BrowserExecutor extends AwaitUsing {}
makeDisposable(BrowserExecutor.prototype, BrowserExecutor.prototype.cleanup);

/** Keeps the process alive while a caller waits. Neither the browser nor its pipes do so. */
async function staying<T>(promise: Promise<T>): Promise<T> {
  const handle = setInterval(() => {}, 2 ** 30);
  try {
    return await promise;
  } finally {
    clearInterval(handle);
  }
}

/** Replaces the stack of an error that was created elsewhere with one that leads to the awaiting caller. */
function withStackOf(error: unknown) {
  if (error instanceof ExecutorError) Error.captureStackTrace(error, withStackOf);
  return error;
}
