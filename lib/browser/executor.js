// @ts-check
'use strict';

const { AsyncResource } = require('node:async_hooks');

const { describe, isPlainObject } = require('../contract/describe');
const { ExecutorError, TransferLimitError, abortedBeforeStart, errorOf } = require('../contract/errors');
const { transferLimitExceeded } = require('../contract/errors');
const { ToolRegistry, flattenTools, refuseReservedName } = require('../contract/tool-registry');
const { traceRun } = require('../contract/tracing');
const { keepArtifacts } = require('./artifacts');
const { sharedBrowser } = require('./browsers');
const { Failures } = require('./failures');
const { Log } = require('./log');
const { checkBrowserOptions, checkBrowserRunOptions } = require('./options');
const { loadPreparation, preparePage } = require('./prepare');
const { Run } = require('./run');
const { encode } = require('./values');

/** Names that a page does not give up, and those of its own functions. */
const RESERVED = new Set(['window', 'document', 'location', 'top', 'getCanvas', 'saveArtifact', 'final_answer']);

/**
 * @typedef {import('./index').BrowserRunOptions} BrowserRunOptions
 *
 * @typedef {object} Job
 * @property {string} operation
 * @property {undefined} [apply] of variables and tools
 * @property {string} code
 * @property {any} options of the run, checked
 * @property {AsyncResource} context the asynchronous context of the caller, which tools are called in
 * @property {(output: import('./index').BrowserOutput) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {(error: unknown) => void} interrupt ends it from outside, at whatever point it is
 */

/** Runs agent-written code in a page of a browser. Documented in `index.d.ts`. */
class BrowserExecutor {
  #options;
  /** @type {import('../../index').ExecutorState} */
  #state = 'NEW';
  #shared;
  /** @type {Promise<void> | undefined} */
  #starting;
  /** Grows with each cleanup: what began before does not concern the executor any more. */
  #epoch = 0;
  #runs = 0;
  #tools = new ToolRegistry();
  /** What pages are told of the tools. @type {Map<string, any[]>} by top-level name */
  #specs = new Map();
  /** Variables as they cross, those of each call together. @type {{ names: string[], values: string }[]} */
  #variables = [];
  /** What the page of the session has not been told. @type {{ tools: Set<string>, variables: number }} */
  #untold = { tools: new Set(), variables: 0 };
  /** The page of the session. @type {import('./tab').Tab | undefined} */
  #tab;
  /** @type {Log | undefined} */
  #log;
  /** @type {Job | undefined} */
  #running;
  /** Runs, and variables and tools, that wait for their turn. @type {any[]} */
  #queue = [];
  /** Takes the runs where there is no browser. @type {import('../../index').Executor | undefined} */
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
    return this.#substitute?.state ?? this.#state;
  }

  async init() {
    if (this.#substitute !== undefined) return this.#substitute.init();
    if (this.#state === 'READY') return;
    if (this.#state === 'RUNNING' || this.#state === 'DIRTY')
      throw this.#illegal('init', 'call cleanup() before init()');
    this.#state = 'INITIALIZING';
    this.#starting ??= this.#start(this.#epoch).finally(() => (this.#starting = undefined));
    await this.#starting;
  }

  /** @param {Record<string, unknown>} variables */
  async sendVariables(variables) {
    if (!isPlainObject(variables)) {
      throw new TypeError(`variables must be an object of values by name, got ${describe(variables)}`);
    }
    const names = Object.keys(variables);
    for (const name of names) refuseName(name, 'variables');
    const values = this.#encodeVariables(names, variables);
    if (this.#mustInit()) await this.init();
    if (this.#substitute !== undefined) return this.#substitute.sendVariables(variables);
    await this.#setUp('sendVariables', () => this.#takeVariables(names, values));
  }

  /** @param {import('../../index').Tools} tools */
  async sendTools(tools) {
    const flat = flattenTools(tools);
    for (const { path } of flat) refuseName(path[0], 'tools');
    if (this.#mustInit()) await this.init();
    if (this.#substitute !== undefined) return this.#substitute.sendTools(tools);
    await this.#setUp('sendTools', () => this.#takeTools(flat));
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
    const substitute = this.#substitute;
    this.#substitute = undefined;
    this.#epoch++;
    this.#state = 'DEAD';
    this.#refuseAll('cleanup() was called');
    this.#tools.clear();
    this.#specs.clear();
    this.#variables = [];
    this.#closeTab();
    this.#shared.leave(this);
    await substitute?.cleanup();
  }

  // --- beginning ---------------------------------------------------------------------------------------------------

  #mustInit() {
    return this.#options.autoInit && ['NEW', 'INITIALIZING', 'DEAD'].includes(this.state);
  }

  /** @param {number} epoch */
  async #start(epoch) {
    try {
      const joined = this.#shared.join(this, this.#options);
      // Loading the addon takes a moment, in which the browser starts.
      loadPreparation();
      await staying(joined);
      // The page of a session is made here, so that the first run finds it.
      if (this.#options.isolation === 'session') await staying(this.#takeTab(true));
    } catch (error) {
      if (epoch !== this.#epoch) throw this.#illegal('init', 'cleanup() was called');
      this.#state = 'DEAD';
      const details = /** @type {Error} */ (error).message;
      if (!this.#options.fallback) throw errorOf('ERR_BROWSER_INIT_FAILED', { details }, { reason: details });
      return this.#fallBack(details);
    }
    if (epoch !== this.#epoch) {
      if (this.#state === 'DEAD') this.#shared.leave(this);
      throw this.#illegal('init', 'cleanup() was called');
    }
    this.#state = 'READY';
  }

  /** @param {string} reason */
  async #fallBack(reason) {
    const { substituteFor } = require('./substitute');
    process.emitWarning(
      `BrowserExecutor runs code in SESExecutor, without the functions of a browser: ${reason}. Correct that, or set the ` +
        'option `fallback` to false to get an error instead.',
      { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_BROWSER_FALLBACK' },
    );
    this.#substitute = await substituteFor(this.#options);
  }

  /**
   * @param {string} code
   * @param {BrowserRunOptions} [options]
   */
  async #runInstead(code, options) {
    const { input, ...others } = options ?? {};
    const substitute = /** @type {import('../../index').Executor} */ (this.#substitute);
    await substitute.sendVariables({ input });
    return { ...(await substitute.run(code, others)), artifacts: [] };
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
    const refuseIfAborted = () => {
      if (signal?.aborted) throw abortedBeforeStart(timeoutMs, signal.reason);
    };
    refuseIfAborted();
    if (this.#mustInit()) await this.init();
    refuseIfAborted();
    if (this.#substitute !== undefined) return this.#runInstead(code, options);
    if (this.#state !== 'READY' && this.#state !== 'RUNNING') {
      const hint = this.#state === 'DIRTY' ? 'call cleanup() and init() first' : 'await init() first';
      throw this.#illegal('run', hint);
    }
    const language = checked.language ?? this.#options.language;
    return await this.#enqueue(code, { ...checked, timeoutMs, language });
  }

  // --- variables and tools -----------------------------------------------------------------------------------------

  /**
   * @param {string} operation
   * @param {() => void} apply
   */
  async #setUp(operation, apply) {
    if (this.#state === 'READY') return apply();
    if (this.#state !== 'RUNNING') throw this.#illegal(operation, 'it is legal in state READY only');
    this.#refuseFullQueue(operation);
    await new Promise((resolve, reject) => {
      this.#queue.push({ operation, apply, resolve: () => resolve(undefined), interrupt: reject });
    });
  }

  /**
   * @param {string[]} names
   * @param {string} values
   */
  #takeVariables(names, values) {
    if (names.length === 0) return;
    // Those that nobody sees any more are forgotten, if it is all of a call's.
    const told = this.#variables.slice(0, this.#untold.variables);
    const isSeen = (/** @type {{ names: string[] }} */ earlier) => !earlier.names.every((name) => names.includes(name));
    this.#untold.variables = told.filter(isSeen).length;
    this.#variables = [...this.#variables.filter(isSeen), { names, values }];
    for (const name of names) {
      this.#specs.delete(name);
      this.#untold.tools.delete(name);
    }
  }

  /** @param {import('../contract/tool-registry').Tool[]} tools */
  #takeTools(tools) {
    const { specs, commit } = this.#tools.stage(tools);
    commit();
    /** @type {Map<string, any[]>} */
    const fresh = new Map();
    for (const spec of specs) fresh.set(spec.path[0], [...(fresh.get(spec.path[0]) ?? []), spec]);
    for (const [name, ofName] of fresh) {
      this.#specs.set(name, ofName);
      this.#untold.tools.add(name);
    }
  }

  // --- runs in turn ------------------------------------------------------------------------------------------------

  /**
   * @param {string} code
   * @param {any} options
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async #enqueue(code, options) {
    if (this.#state === 'RUNNING') this.#refuseFullQueue('run');
    const { signal, timeoutMs } = options;
    /** @type {(() => void) | undefined} */
    let abort;
    try {
      return await new Promise((resolve, reject) => {
        const context = new AsyncResource('BrowserExecutorRun');
        /** @type {Job} */
        const job = { operation: 'run', code, options, context, resolve, reject, interrupt: reject };
        abort = () => this.#abort(job, abortedBeforeStart(timeoutMs, signal.reason));
        signal?.addEventListener('abort', abort, { once: true });
        if (this.#state === 'RUNNING') this.#queue.push(job);
        else this.#begin(job);
      });
    } catch (error) {
      throw withStackOf(error);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * @param {Job} job
   * @param {ExecutorError} error
   */
  #abort(job, error) {
    const at = this.#queue.indexOf(job);
    if (at !== -1) this.#queue.splice(at, 1);
    job.interrupt(error);
  }

  /** @param {Job} job */
  #begin(job) {
    this.#state = 'RUNNING';
    this.#running = job;
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
    this.#running = undefined;
    if (this.#state === 'RUNNING') this.#state = 'READY';
    if (this.#state === 'DIRTY') this.#refuseAll('an earlier call left the executor DIRTY; call cleanup() and init()');
    else this.#next();
  }

  /** Does what waits for its turn, up to the next run. */
  #next() {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.apply === undefined) return this.#begin(/** @type {Job} */ (next));
      next.apply();
      // Behind the outcome of the run before it, which several `await`s pass on.
      setImmediate(next.resolve);
    }
  }

  /** @param {string} hint */
  #refuseAll(hint) {
    const jobs = [...(this.#running === undefined ? [] : [this.#running]), ...this.#queue];
    this.#running = undefined;
    this.#queue = [];
    for (const job of jobs) job.interrupt(this.#illegal(job.operation, hint));
  }

  // --- one run -----------------------------------------------------------------------------------------------------

  /**
   * @param {Job} job
   * @param {number} epoch
   * @returns {Promise<import('./index').BrowserOutput>}
   */
  async #perform(job, epoch) {
    const { code, options, context } = job;
    const isSession = this.#options.isolation === 'session';
    const interrupted = new Promise((_, reject) => (job.interrupt = reject));
    interrupted.catch(() => {});
    const id = ++this.#runs;
    const log = this.#newLog(isSession);
    const startedAt = performance.now();
    const taking = this.#takeTab(isSession);
    // A run that does not get so far leaves its tab to nobody.
    const discard = () => taking.then((tab) => this.#discard(tab)).catch(() => {});
    /** @type {[any, import('./tab').Tab]} */
    let prepared;
    try {
      const ready = Promise.all([preparePage(code, options, this.#options, isSession), taking]);
      ready.catch(() => {});
      prepared = /** @type {any} */ (await Promise.race([ready, interrupted]));
    } catch (error) {
      if (isSession) taking.catch(() => {});
      else void discard();
      throw withRun(error, log, { durationMs: performance.now() - startedAt, toolCalls: 0, heapUsedBytes: 0 });
    }
    const [program, tab] = prepared;
    const failures = new Failures(code, id, program);
    const toolTimeoutMs = options.toolTimeoutMs ?? this.#options.toolTimeoutMs;
    const run = new Run({
      id,
      tab,
      options: { ...this.#options, toolTimeoutMs },
      tools: this.#tools,
      log,
      failures,
      context,
    });
    const began = performance.now();
    const order = this.#orderFor(id, options, isSession);
    const ending = await this.#supervise(run, tab, options, interrupted, () => run.start(program.code, order));
    const stats = {
      durationMs: performance.now() - began,
      operations: 0,
      toolCalls: run.toolCalls,
      heapUsedBytes: run.heapUsedBytes,
    };
    if (!isSession || !ending.leavesTab) this.#discard(tab);
    if (isSession && !ending.leavesTab && epoch === this.#epoch) this.#state = 'DIRTY';
    this.#shared.refill();
    if (ending.error !== undefined) throw withRun(ending.error, log, stats, ending.cause);
    const artifacts = await keepArtifacts(run.artifacts, this.#options.artifactsDir);
    const { output, isFinal = false } = ending;
    const logs = log.text;
    return { output, logs, is_final_answer: isFinal, logEntries: log.entries, stats, artifacts };
  }

  /**
   * Starts a run and waits until it ends, by itself or not.
   *
   * @param {Run} run
   * @param {import('./tab').Tab} tab
   * @param {any} options
   * @param {Promise<unknown>} interrupted
   * @param {() => void} start
   * @returns {Promise<import('./run').Ending>}
   */
  async #supervise(run, tab, { timeoutMs }, interrupted, start) {
    const { memoryLimitMb } = this.#options;
    const end = (/** @type {any} */ error) => run.settle({ error, leavesTab: false });
    const deadline = setTimeout(() => {
      end(errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, reason: 'deadline' }));
    }, timeoutMs);
    const watched = {
      pid: tab.pid,
      limitMb: memoryLimitMb,
      onExceeded: (/** @type {Record<string, unknown>} */ facts) =>
        end(errorOf('ERR_MEMORY_LIMIT_EXCEEDED', { limitMb: memoryLimitMb }, facts)),
    };
    tab.memory.add(watched);
    interrupted.catch(end);
    try {
      start();
      return await run.ended;
    } finally {
      clearTimeout(deadline);
      tab.memory.remove(watched);
    }
  }

  /** @param {boolean} isSession */
  #newLog(isSession) {
    if (!isSession) return new Log(this.#options);
    this.#log ??= new Log(this.#options);
    this.#log.clear();
    return this.#log;
  }

  /** @param {boolean} isSession */
  async #takeTab(isSession) {
    if (!isSession) return this.#shared.take(this.#options.origins);
    if (this.#tab === undefined) {
      const epoch = this.#epoch;
      const tab = await this.#shared.take(this.#options.origins);
      if (epoch !== this.#epoch) {
        tab.close();
        throw this.#illegal('run', 'cleanup() was called');
      }
      this.#tab = tab;
      this.#untold = { tools: new Set(this.#specs.keys()), variables: 0 };
    }
    return this.#tab;
  }

  /** @param {import('./tab').Tab} tab */
  #discard(tab) {
    tab.close();
    if (this.#tab === tab) this.#closeTab();
  }

  #closeTab() {
    this.#tab?.close();
    this.#tab = undefined;
    this.#log = undefined;
    this.#untold = { tools: new Set(this.#specs.keys()), variables: 0 };
  }

  /**
   * What the page gets to know before the program runs.
   *
   * @param {number} id
   * @param {any} options
   * @param {boolean} isSession
   */
  #orderFor(id, { input }, isSession) {
    const { maxTransferBytes, maxLogBytes, maxArtifactBytes, collectConsoleLevels } = this.#options;
    const names = isSession ? [...this.#untold.tools] : [...this.#specs.keys()];
    const variables = isSession ? this.#variables.slice(this.#untold.variables) : this.#variables;
    this.#untold = { tools: new Set(), variables: this.#variables.length };
    return JSON.stringify({
      run: id,
      limits: { maxTransferBytes, maxLogBytes, maxArtifactBytes },
      levels: collectConsoleLevels,
      tools: names.flatMap((name) => this.#specs.get(name) ?? []),
      variables: [...variables, { names: ['input'], values: input }],
    });
  }

  // --- what is refused ---------------------------------------------------------------------------------------------

  /**
   * @param {string[]} names
   * @param {Record<string, unknown>} variables
   */
  #encodeVariables(names, variables) {
    const { maxTransferBytes } = this.#options;
    try {
      return encode(
        names.map((name) => variables[name]),
        'variables',
        maxTransferBytes,
        variables,
      );
    } catch (error) {
      throw error instanceof TransferLimitError ? transferLimitExceeded(maxTransferBytes, 'variables') : error;
    }
  }

  /** @param {string} operation */
  #refuseFullQueue(operation) {
    const { runConcurrency, maxQueuedRuns } = this.#options;
    if (runConcurrency !== 'queue') {
      throw this.#illegal(operation, 'a run is under way; wait for it, or use runConcurrency: "queue"');
    }
    if (this.#queue.length >= maxQueuedRuns) {
      throw this.#illegal(operation, 'the queue is full; raise maxQueuedRuns or wait', { maxQueuedRuns });
    }
  }

  /**
   * @param {string} operation
   * @param {string} hint
   * @param {Record<string, unknown>} [facts]
   */
  #illegal(operation, hint, facts = {}) {
    const state = this.#state;
    return errorOf('ERR_INVALID_STATE', { state }, { state, operation, hint, ...facts });
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
 * Adds what is known of a run to its failure.
 *
 * @param {any} error
 * @param {Log} log
 * @param {any} stats
 * @param {{ cause: unknown }} [cause]
 */
function withRun(error, log, stats, cause) {
  if (!(error instanceof ExecutorError)) return error;
  const { message, code, severity, retryable, details } = error;
  const logEntries = log.entries;
  const fields = { code, severity, retryable, details, logs: log.text, logEntries, stats };
  return new ExecutorError(message, cause === undefined ? fields : { ...fields, cause: cause.cause });
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
