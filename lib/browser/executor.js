// @ts-check
'use strict';

const { AsyncResource } = require('node:async_hooks');

const { clearInterval, setInterval } = require('../contract/clock');
const { describe } = require('../contract/describe');
const { ExecutorError, abortedBeforeStart, errorOf } = require('../contract/errors');
const { inTime } = require('../contract/in-time');
const { REFUSALS, invalidState, needsInit } = require('../contract/lifecycle');
const { onAbort } = require('../contract/signals');
const { Start } = require('../contract/start');
const { flattenTools, refuseReservedName } = require('../contract/tool-registry');
const { traceRun } = require('../contract/tracing');
const { encodeVariables, namesOfVariables } = require('../contract/variables');
const { NoBrowserError, sharedBrowser } = require('./browsers');
const { Programs } = require('./failures');
const { Given } = require('./given');
const { Log } = require('./log');
const { checkBrowserOptions, checkBrowserRunOptions } = require('./options');
const { perform } = require('./perform');
const { loadPreparation } = require('./prepare');
const { Turns } = require('./turns');
const { encode } = require('./values');

/** Names that a page does not give up, and those of its own functions. */
const RESERVED = new Set(['window', 'document', 'location', 'top', 'getCanvas', 'saveArtifact', 'final_answer']);

/**
 * @typedef {import('./index').BrowserRunOptions} BrowserRunOptions
 *
 * @typedef {import('./turns').Job & RunFacts} RunJob
 *
 * @typedef {object} RunFacts
 * @property {string} code
 * @property {any} options of the run, checked
 * @property {AsyncResource} context the asynchronous context of the caller, which tools are called in
 * @property {(error: unknown) => void} reject
 */

/** Runs agent-written code in a page of a browser. Documented in `index.d.ts`. */
class BrowserExecutor {
  #options;
  /** @type {import('../../index').ExecutorState} */
  #state = 'NEW';
  #shared;
  #starting = new Start();
  /** Ends the `init()` under way. @type {(error: Error) => void} */
  #endStart = () => {};
  /** Whether the next run finds another page than the one before, and has to be told. */
  #isRenewed = false;
  /** Grows with each cleanup: what began before does not concern the executor any more. */
  #epoch = 0;
  #runs = 0;
  #given = new Given();
  /** The page of the session. @type {import('./tab').Tab | undefined} */
  #tab;
  /** Of the session. @type {Log | undefined} */
  #log;
  /** Those that the page of the session has run. */
  #programs = new Programs();
  #turns = new Turns((job) => this.#begin(job));
  /** Takes the runs where there is no browser. @type {import('./substitute').Substitute | undefined} */
  #substitute;

  /** @param {import('./index').BrowserExecutorOptions} [options] */
  constructor(options) {
    this.#options = checkBrowserOptions(options);
    this.#shared = sharedBrowser(this.#options);
    if (!this.#options.sandbox) {
      process.emitWarning(
        'options.sandbox is false: guest code has the rights of this process. Use it for code of your own.',
        {
          type: 'SESExecutorWarning',
          code: 'SES_EXECUTOR_NO_SANDBOX',
        },
      );
    }
  }

  get state() {
    return this.#state;
  }

  get isolation() {
    return this.#options.isolation;
  }

  async init() {
    if (this.#state === 'READY') return;
    if (!needsInit(this.#state)) throw this.#illegal('init', REFUSALS.HAS_ISOLATE);
    this.#state = 'INITIALIZING';
    await this.#starting.join(() => this.#start(this.#epoch));
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    const names = namesOfVariables(variables);
    for (const name of names) refuseName(name, 'variables');
    const values = encodeVariables(variables, names, this.#options.maxTransferBytes, encode);
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    await this.#setUp('sendVariables', () => {
      this.#given.takeVariables(names, values);
      this.#substitute?.tell((executor) => executor.sendVariables(variables));
    });
  }

  /** @param {import('../../index').Tools} tools */
  async sendTools(tools) {
    const flat = flattenTools(tools);
    for (const { path } of flat) refuseName(path[0], 'tools');
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    await this.#setUp('sendTools', () => {
      this.#given.takeTools(flat, tools);
      this.#substitute?.tell((executor) => executor.sendTools(tools));
    });
  }

  /**
   * @param {string} code
   * @param {BrowserRunOptions} [options]
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async run(code, options) {
    return await traceRun(/** @type {any} */ (this), code, () => this.#run(code, options));
  }

  async cleanup() {
    const left = this.#leave();
    this.#given.clear();
    this.#isRenewed = false;
    await left;
  }

  // --- beginning ---------------------------------------------------------------------------------------------------

  /** Gives up the page, or what stands in for it; what was sent is still known. */
  async #leave() {
    const substitute = this.#substitute;
    this.#substitute = undefined;
    this.#epoch++;
    this.#starting.forget();
    this.#state = 'DEAD';
    this.#endStart(this.#illegal('init', REFUSALS.CLEANED_UP));
    this.#refuseAll(REFUSALS.CLEANED_UP);
    this.#tab?.close();
    this.#forgetTab();
    this.#shared.leave(this);
    await substitute?.cleanup();
  }

  /** Makes a page if there is none that could go on, as far as the options want that. */
  #makeReady() {
    const { autoInit, recover } = this.#options;
    if (!autoInit) return undefined;
    if (recover && this.#state === 'DIRTY') {
      void this.#leave();
      this.#given.forgetVariables();
      this.#isRenewed = true;
    }
    return needsInit(this.#state) ? this.init() : undefined;
  }

  /** @param {number} epoch */
  async #start(epoch) {
    /** @type {Promise<never>} */
    const left = new Promise((_, reject) => (this.#endStart = reject));
    left.catch(() => {});
    try {
      const joined = this.#shared.join(this, this.#options);
      // Loading the addon takes a moment, in which the browser starts.
      loadPreparation();
      await staying(Promise.race([joined, left]));
      // The page of a session is made here, so that the first run finds it.
      if (this.#options.isolation === 'session') await staying(Promise.race([this.#takeTab(), left]));
    } catch (error) {
      if (epoch !== this.#epoch) throw this.#illegal('init', REFUSALS.CLEANED_UP);
      this.#doWithout(/** @type {Error} */ (error));
    }
    if (epoch !== this.#epoch) {
      if (this.#state === 'DEAD') this.#shared.leave(this);
      throw this.#illegal('init', REFUSALS.CLEANED_UP);
    }
    this.#state = 'READY';
  }

  /**
   * No browser can be started: from now on the substitute takes the runs, if there may be one.
   *
   * @param {Error} error that says why
   */
  #doWithout({ message: reason }) {
    if (!this.#options.fallback) {
      this.#state = 'DEAD';
      throw errorOf('ERR_BROWSER_INIT_FAILED', { details: reason }, { reason });
    }
    const { Substitute } = require('./substitute');
    process.emitWarning(
      `BrowserExecutor runs code in SESExecutor, without the functions of a browser: ${reason}. Correct that, or set the ` +
        'option `fallback` to false to get an error instead.',
      { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_BROWSER_FALLBACK' },
    );
    this.#substitute = new Substitute(this.#options, this.#given);
  }

  /**
   * @param {string} code
   * @param {BrowserRunOptions} [options]
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async #run(code, options) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const checked = checkBrowserRunOptions(options, this.#options.maxTransferBytes);
    const timeoutMs = checked.timeoutMs ?? this.#options.timeoutMs;
    const { signal } = checked;
    const aborted = (/** @type {unknown} */ reason) => abortedBeforeStart(reason, timeoutMs);
    const refuseIfAborted = () => {
      if (signal?.aborted) throw aborted(signal.reason);
    };
    refuseIfAborted();
    const ready = this.#makeReady();
    if (ready !== undefined) await inTime(ready, { signal, aborted });
    refuseIfAborted();
    if (this.#state !== 'READY' && this.#state !== 'RUNNING') {
      throw this.#illegal('run', this.#state === 'DIRTY' ? REFUSALS.DIRTY : REFUSALS.NO_ISOLATE);
    }
    const language = checked.language ?? this.#options.language;
    const isFirst = this.#isRenewed;
    this.#isRenewed = false;
    try {
      const output = await this.#enqueue(code, { ...checked, timeoutMs, language });
      return isFirst ? Object.assign(output, { recovered: true }) : output;
    } catch (error) {
      if (isFirst && error instanceof ExecutorError) error.details = { ...error.details, recovered: true };
      throw error;
    }
  }

  // --- runs in turn ------------------------------------------------------------------------------------------------

  /**
   * @param {string} operation
   * @param {() => void} apply
   */
  async #setUp(operation, apply) {
    if (this.#state === 'READY') return apply();
    if (this.#state !== 'RUNNING') throw this.#illegal(operation, REFUSALS.NOT_READY);
    this.#refuseFullQueue(operation);
    await new Promise((resolve, reject) => {
      this.#turns.add({ operation, apply, resolve, interrupt: reject });
    });
  }

  /**
   * @param {string} code
   * @param {any} options
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async #enqueue(code, options) {
    if (this.#state === 'RUNNING') this.#refuseFullQueue('run');
    const { signal, timeoutMs } = options;
    /** @type {(() => void) | undefined} */
    let stopListening;
    try {
      return await new Promise((resolve, reject) => {
        const context = new AsyncResource('BrowserExecutorRun');
        /** @type {RunJob} */
        const job = { operation: 'run', code, options, context, resolve, reject, interrupt: reject };
        const abort = () => this.#turns.abort(job, abortedBeforeStart(signal.reason, timeoutMs));
        stopListening = signal && onAbort(signal, abort);
        if (this.#state === 'RUNNING') this.#turns.add(job);
        else this.#turns.start(job);
      });
    } catch (error) {
      throw withStackOf(error);
    } finally {
      stopListening?.();
    }
  }

  /** @param {RunJob} job */
  #begin(job) {
    this.#state = 'RUNNING';
    const epoch = this.#epoch;
    staying(this.#perform(job, epoch)).then(
      (output) => this.#finish(epoch, () => job.resolve(output)),
      (error) => this.#finish(epoch, () => job.reject(error)),
    );
  }

  /**
   * @param {number} epoch
   * @param {() => void} settle
   */
  #finish(epoch, settle) {
    settle();
    if (epoch !== this.#epoch) return;
    if (this.#state === 'RUNNING') this.#state = 'READY';
    if (this.#state !== 'DIRTY') return this.#turns.next();
    this.#refuseAll(REFUSALS.LEFT_DIRTY);
  }

  /** @param {string} hint */
  #refuseAll(hint) {
    this.#turns.refuseAll((operation) => this.#illegal(operation, hint));
  }

  // --- one run -----------------------------------------------------------------------------------------------------

  /**
   * @param {RunJob} job
   * @param {number} epoch
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async #perform(job, epoch) {
    if (this.#substitute !== undefined) return this.#performWithout(job);
    const { code, options, context } = job;
    const isLasting = this.#options.isolation === 'session';
    /** @type {Promise<never>} */
    const interrupted = new Promise((_, reject) => (job.interrupt = reject));
    interrupted.catch(() => {});
    const performed = perform({
      id: ++this.#runs,
      code,
      options,
      executorOptions: this.#options,
      isLasting,
      takeTab: () => this.#takeTab(),
      given: this.#given,
      log: this.#newLog(isLasting),
      programs: isLasting ? this.#programs : new Programs(),
      context,
      interrupted,
      onEnd: (tab, isKept) => {
        if (!isKept) {
          tab.close();
          if (isLasting && epoch === this.#epoch) {
            this.#forgetTab();
            this.#state = 'DIRTY';
          }
        }
        this.#shared.refill();
      },
    });
    const counted = isLasting ? performed : this.#shared.expect(this.#options.origins, performed);
    return counted.catch((error) => {
      if (!(error instanceof NoBrowserError) || epoch !== this.#epoch) throw error;
      this.#doWithout(error);
      return this.#performWithout(job);
    });
  }

  /**
   * One run where there is no browser.
   *
   * @param {RunJob} job
   */
  async #performWithout(job) {
    const { code, options, context } = job;
    const substitute = /** @type {import('./substitute').Substitute} */ (this.#substitute);
    // An abort is told by the isolate, which knows of the log.
    job.interrupt = (error) => options.signal?.aborted || job.reject(error);
    try {
      return await context.runInAsyncScope(() => substitute.run(code, options));
    } finally {
      if (substitute.isDirty && substitute === this.#substitute) this.#state = 'DIRTY';
    }
  }

  /** @param {boolean} isLasting */
  #newLog(isLasting) {
    if (!isLasting) return new Log(this.#options);
    this.#log ??= new Log(this.#options);
    this.#log.clear();
    return this.#log;
  }

  /** A page of a run's own, or that of the session. */
  async #takeTab() {
    if (this.#options.isolation !== 'session') return this.#shared.take(this.#options.origins);
    const before = this.#tab;
    // One that has ended before code ran in it is like none.
    if (before !== undefined && (before.hasRun || !before.isLost)) return before;
    const epoch = this.#epoch;
    const tab = await this.#shared.take(this.#options.origins);
    if (epoch !== this.#epoch) {
      tab.close();
      throw this.#illegal('run', REFUSALS.CLEANED_UP);
    }
    // A run that has not waited any longer has got one all the same.
    const other = this.#tab;
    if (other !== undefined && other !== before) {
      tab.close();
      return other;
    }
    before?.close();
    this.#tab = tab;
    this.#given.forgetPage();
    return tab;
  }

  #forgetTab() {
    this.#tab = undefined;
    this.#log = undefined;
    this.#programs = new Programs();
    this.#given.forgetPage();
  }

  // --- what is refused ---------------------------------------------------------------------------------------------

  /** @param {string} operation */
  #refuseFullQueue(operation) {
    const { runConcurrency, maxQueuedRuns } = this.#options;
    if (runConcurrency !== 'queue') {
      throw this.#illegal(operation, REFUSALS.NO_QUEUE);
    }
    if (this.#turns.waiting >= maxQueuedRuns) {
      throw this.#illegal(operation, REFUSALS.QUEUE_FULL, { maxQueuedRuns });
    }
  }

  /**
   * @param {string} operation
   * @param {string} hint
   * @param {Record<string, unknown>} [facts]
   */
  #illegal(operation, hint, facts) {
    return invalidState(this.#state, operation, hint, facts);
  }
}
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(BrowserExecutor.prototype, Symbol.asyncDispose, {
    value: BrowserExecutor.prototype.cleanup,
    writable: true,
    configurable: true,
  });
}

/**
 * @param {string} name
 * @param {string} root
 */
function refuseName(name, root) {
  if (RESERVED.has(name)) throw new TypeError(`${root}.${name} must have another name: \`${name}\` is the page's own`);
  refuseReservedName(name, root);
}

/**
 * The process stays as long as somebody waits: neither the browser nor its pipes keep it.
 *
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function staying(promise) {
  const handle = setInterval(() => {}, 2 ** 30);
  try {
    return await promise;
  } finally {
    clearInterval(handle);
  }
}

/**
 * The stack of an error that was made elsewhere leads to whoever awaits it.
 *
 * @param {any} error
 */
function withStackOf(error) {
  if (error instanceof ExecutorError) Error.captureStackTrace(error, withStackOf);
  return error;
}

module.exports = { BrowserExecutor };
