// @ts-check
'use strict';

const { availableParallelism } = require('node:os');

const { performance, setImmediate } = require('../contract/clock');
const { describe } = require('../contract/describe');
const { ConcurrencyLimiter } = require('../contract/concurrency-limiter');
const { abortController, onAbort } = require('../contract/signals');
const { Methods } = require('./adapters');
const { SandboxError, busy, closed, codeTooLarge, readingTooSlow } = require('./errors');
const { Execution } = require('./execution');
const { aborted, failureOf, logsOf } = require('./failures');
const { withTimeLimit } = require('../contract/time-limit');
const { Isolate } = require('./isolate');
const { checkExecutionOptions, checkManagerOptions } = require('./options');
const { Pool } = require('./pool');
const { programOf } = require('./program');
const { RateLimit } = require('./rate-limits');
const { Registry } = require('./registry');
const { validState } = require('./state');

/** To make an isolate keeps a core busy. Half of them are left to the programs that run. */
const MAX_MAKING = Math.ceil(availableParallelism() / 2);

/**
 * Runs the programs of models against an API, each in an isolate of its own. Documented in `index.d.ts`.
 */
class SandboxManager {
  #options;
  /** @type {Methods} */
  #methods;
  /** @type {import('./execution').Api} */
  #api;
  /** @type {Pool<Isolate>} */
  #pool;
  /** @type {ConcurrencyLimiter} */
  #limiter;
  /** Executions that hold a place. */
  /** @type {Set<Execution>} */
  #running = new Set();
  /** Executions whose state is validated. */
  /** @type {Set<AbortController>} */
  #validating = new Set();
  #isClosed = false;
  /** @type {Registry} */
  #registry;

  /** @param {unknown} options */
  constructor(options) {
    const checked = checkManagerOptions(options);
    this.#options = checked;
    this.#registry = new Registry(checked.registry);
    this.#methods = new Methods(this.#registry, checked.adapters, checked.maxParamsBytes);
    const limits = new Map();
    for (const [source, given] of checked.rateLimits) {
      if (!this.#registry.hasSource(source)) throw new TypeError(`options.rateLimits.${source} is not a source`);
      limits.set(source, new RateLimit(given));
    }
    this.#api = {
      methodOf: (source, method) => this.#methods.get(source, method),
      rateLimitOf: (source) => limits.get(source),
      maxSdkCalls: checked.maxSdkCalls,
    };
    const { executionTimeoutMs, memoryLimitMb, maxOperations, maxSdkCalls, maxTransferBytes, maxLogBytes } = checked;
    const { isolation, sandbox } = checked;
    const isolateOptions = {
      isolation,
      sandbox,
      executionTimeoutMs,
      memoryLimitMb,
      maxOperations,
      maxSdkCalls,
      maxTransferBytes,
      maxLogBytes,
      // With what is added to it, some sixty characters for each call of nine; and room for the preparation.
      maxCodeBytes: Math.min(checked.maxCodeBytes * 8 + 1_048_576, 2 ** 30),
    };
    this.#limiter = new ConcurrencyLimiter(checked, busy);
    const make = (/** @type {Parameters<typeof Isolate.make>[2]} */ how) =>
      Isolate.make(isolateOptions, this.#registry.texts, how);
    this.#pool = new Pool(make, checked.poolSize, MAX_MAKING);
  }

  /** Names, descriptions and sizes of the sources. */
  get sources() {
    return this.#registry.summary.map((source) => ({ ...source }));
  }

  /** Isolates that are ready. */
  get ready() {
    return this.#pool.ready;
  }

  /** Limits as prompts state them. */
  get limits() {
    const { executionTimeoutMs, memoryLimitMb, maxSdkCalls } = this.#options;
    return { executionTimeoutMs, memoryLimitMb, maxSdkCalls };
  }

  /**
   * @param {string} code
   * @param {unknown} [options]
   */
  async executeSearch(code, options) {
    return await this.#execute('search', code, options, {});
  }

  /**
   * @param {string} code
   * @param {unknown} [options]
   */
  async executeCode(code, options) {
    return await this.#execute('execute', code, options, {});
  }

  /**
   * @param {string} code
   * @param {unknown} state
   * @param {unknown} [options]
   */
  async executeMutate(code, state, options) {
    return await this.#execute('mutate', code, options, { state });
  }

  /** Ends all executions and gives the isolates back. Waits for nothing that goes on in them. */
  async close() {
    this.#isClosed = true;
    const error = closed();
    this.#limiter.close(error);
    for (const execution of [...this.#running]) execution.fail(closed());
    for (const validating of [...this.#validating]) validating.abort(closed());
    this.#pool.close(error);
  }

  /**
   * @param {'search' | 'execute' | 'mutate'} kind
   * @param {string} code
   * @param {unknown} options
   * @param {Record<string, unknown>} variables
   */
  async #execute(kind, code, options, variables) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const { signal, style, context, onReport } = checkExecutionOptions(options, this.#options.context);
    if (this.#isClosed) throw closed();
    const { maxCodeBytes } = this.#options;
    if (code.length > maxCodeBytes || Buffer.byteLength(code) > maxCodeBytes) throw codeTooLarge(maxCodeBytes);
    const abortedBefore = () => aborted('before it began', this.#options.executionTimeoutMs, signal.reason);
    if (signal?.aborted) throw abortedBefore();
    const report = new Report(kind);
    const reported = (/** @type {unknown} */ error) => {
      const facts = report.finish(error);
      onReport?.(facts);
      this.#options.onReport?.(facts);
      if (error instanceof SandboxError) error.report = /** @type {any} */ (facts);
      return error;
    };
    try {
      await this.#limiter.enter(signal, abortedBefore);
    } catch (error) {
      throw reported(error);
    }
    report.began();
    const execution = new Execution(kind, this.#api, context);
    this.#running.add(execution);
    let value;
    try {
      // For a moment it was neither waiting nor under way.
      if (this.#isClosed) throw closed();
      const output = await this.#run(code, { kind, style, variables, signal, execution, report });
      value = kind === 'search' ? output : await this.#validated(output, signal);
    } catch (error) {
      throw reported(error);
    } finally {
      this.#running.delete(execution);
      this.#limiter.leave();
    }
    reported(undefined);
    return value;
  }

  /**
   * @param {unknown} output
   * @param {AbortSignal | undefined} signal
   */
  async #validated(output, signal) {
    const { stateSchema, executionTimeoutMs: timeoutMs } = this.#options;
    const validating = abortController();
    const abort = () => validating.abort(aborted('while its state was validated', timeoutMs, signal?.reason));
    this.#validating.add(validating);
    const stopListening = signal && onAbort(signal, abort);
    if (signal?.aborted) abort();
    try {
      return await validState(stateSchema, output, { timeoutMs, signal: validating.signal });
    } finally {
      stopListening?.();
      this.#validating.delete(validating);
    }
  }

  /**
   * @param {string} code
   * @param {any} how
   */
  async #run(code, { kind, style, variables, signal, execution, report }) {
    // A caller that has given up ends the execution as its deadline would.
    const abort = () => execution.abort(signal.reason);
    const stopListening = signal && onAbort(signal, abort);
    // While it waited for its turn nobody listened for a moment.
    if (signal?.aborted) abort();
    /** @type {Promise<Isolate> | undefined} */
    let taken;
    /** @type {import('./program').Program | undefined} */
    let program;
    try {
      taken = this.#pool.take();
      // The program may be what fails first.
      taken.catch(() => {});
      const { executionTimeoutMs: timeoutMs } = this.#options;
      // A thread reads on for a while.
      program = await withTimeLimit(programOf(code, kind, style), {
        timeoutMs,
        signal: execution.stop,
        late: () => readingTooSlow(timeoutMs),
        aborted: (reason) => execution.failure ?? aborted('while its program was read', timeoutMs, reason),
      });
      report.style = program.style;
      // A process that is stopped takes a minute to be taken for lost.
      const isolate = await withTimeLimit(taken, {
        signal: execution.stop,
        aborted: (reason) => execution.failure ?? aborted('before it began', timeoutMs, reason),
      });
      report.prepared();
      const result = await isolate.run(program.text, execution, variables);
      report.take({ ...result, ...logsOf(result, execution) });
      return result.output;
    } catch (error) {
      if (program === undefined) throw error;
      const failure = failureOf(error, program, execution, this.#methods);
      report.take(failure);
      throw failure;
    } finally {
      stopListening?.();
      report.sdkCalls = execution.callsBySource;
      execution.end();
      // The caller has its answer first.
      setImmediate(() => this.#replace(taken));
    }
  }

  /**
   * Gives an isolate back that has done its work, and makes others.
   *
   * @param {Promise<Isolate> | undefined} taken
   */
  #replace(taken) {
    taken?.then(
      (isolate) => isolate.dispose(),
      () => {},
    );
    this.#pool.fill();
  }
}
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(SandboxManager.prototype, Symbol.asyncDispose, {
    value: SandboxManager.prototype.close,
    writable: true,
    configurable: true,
  });
}

/** What an execution tells of itself. */
class Report {
  #asked = performance.now();
  #began = 0;
  #prepared = 0;
  /** @type {any} */
  #run = {};
  /** Undefined until the program has been read. */
  /** @type {'sync' | 'async' | undefined} */
  style;
  /** @type {Record<string, number>} */
  sdkCalls = {};

  /** @param {string} kind */
  constructor(kind) {
    this.kind = kind;
  }

  began() {
    this.#began = performance.now();
  }

  prepared() {
    this.#prepared = performance.now();
  }

  /** @param {any} run output or error */
  take(run) {
    this.#run = run;
  }

  /** @param {any} error */
  finish(error) {
    const now = performance.now();
    const { logs = '', logEntries = [], stats } = this.#run;
    const began = this.#began === 0 ? now : this.#began;
    return {
      kind: this.kind,
      ...(this.style !== undefined && { style: this.style }),
      ok: error === undefined,
      logs,
      logEntries,
      sdkCalls: this.sdkCalls,
      times: {
        queuedMs: began - this.#asked,
        preparingMs: this.#prepared === 0 ? 0 : this.#prepared - began,
        runMs: stats?.durationMs ?? 0,
        totalMs: now - this.#asked,
      },
      ...(stats !== undefined && { operations: stats.operations, heapUsedBytes: stats.heapUsedBytes }),
      ...(error !== undefined && { failure: factsOf(error) }),
    };
  }
}

/** @param {any} error */
function factsOf({ code, message, details }) {
  const { line, column } = details ?? {};
  return { code, message, ...(line !== undefined && { line, column }) };
}

module.exports = { SandboxManager };
