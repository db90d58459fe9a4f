import { availableParallelism } from 'node:os';

import { makeDisposable } from '../contract/await-using';
import { performance, setImmediate } from '../contract/clock';
import { describe } from '../contract/describe';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { abortController, onAbort } from '../contract/signals';
import { Methods } from './adapters';
import { SandboxError, busy, closed, codeTooLarge, readingTooSlow } from './errors';
import { Execution } from './execution';
import { aborted, failureOf, logsOf } from './failures';
import { withTimeLimit } from '../contract/time-limit';
import { Isolate } from './isolate';
import { checkExecutionOptions, checkManagerOptions } from './options';
import { Pool } from './pool';
import { programOf } from './program';
import { RateLimit } from './rate-limits';
import { Registry } from './registry';
import { validState } from './state';
import type { AwaitUsing } from '../contract/await-using';
import type { Api } from './execution';
import type { Program } from './program';

/** Creating an isolate keeps a core busy. Half of the cores stay free for running programs. */
const MAX_MAKING = Math.ceil(availableParallelism() / 2);

/** Runs the programs of models against an API, each in its own isolate. Documented in `api.d.ts`. */
export class SandboxManager {
  #options;
  #methods: Methods;
  #api: Api;
  #pool: Pool<Isolate>;
  #limiter: ConcurrencyLimiter;
  /** Executions that hold a slot. */
  #running: Set<Execution> = new Set();
  /** Executions whose state is being validated. */
  #validating: Set<AbortController> = new Set();
  #isClosed = false;
  #registry: Registry;

  constructor(options: unknown) {
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
      // Leaves room for the code that the host adds (about sixty characters for each nine-character call) and for the
      // preparation.
      maxCodeBytes: Math.min(checked.maxCodeBytes * 8 + 1_048_576, 2 ** 30),
    };
    this.#limiter = new ConcurrencyLimiter(checked, busy);
    const make = (how: Parameters<typeof Isolate.make>[2]) => Isolate.make(isolateOptions, this.#registry.texts, how);
    this.#pool = new Pool(make, checked.poolSize, MAX_MAKING);
  }

  /** Names, descriptions and sizes of the sources. */
  get sources() {
    return this.#registry.summary.map((source) => ({ ...source }));
  }

  /** Number of isolates that are ready. */
  get ready() {
    return this.#pool.ready;
  }

  /** Limits as prompts state them. */
  get limits() {
    const { executionTimeoutMs, memoryLimitMb, maxSdkCalls } = this.#options;
    return { executionTimeoutMs, memoryLimitMb, maxSdkCalls };
  }

  async executeSearch(code: string, options?: unknown) {
    return await this.#execute('search', code, options, {});
  }

  async executeCode(code: string, options?: unknown) {
    return await this.#execute('execute', code, options, {});
  }

  async executeMutate(code: string, state: unknown, options?: unknown) {
    return await this.#execute('mutate', code, options, { state });
  }

  /** Ends all executions and disposes their isolates. Does not wait for running guests or adapters. */
  async close() {
    this.#isClosed = true;
    const error = closed();
    this.#limiter.close(error);
    for (const execution of [...this.#running]) execution.fail(closed());
    for (const validating of [...this.#validating]) validating.abort(closed());
    this.#pool.close(error);
  }

  async #execute(
    kind: 'search' | 'execute' | 'mutate',
    code: string,
    options: unknown,
    variables: Record<string, unknown>,
  ) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const { signal, style, context, onReport } = checkExecutionOptions(options, this.#options.context);
    if (this.#isClosed) throw closed();
    const { maxCodeBytes } = this.#options;
    if (code.length > maxCodeBytes || Buffer.byteLength(code) > maxCodeBytes) throw codeTooLarge(maxCodeBytes);
    const abortedBefore = () => aborted('before it began', this.#options.executionTimeoutMs, signal.reason);
    if (signal?.aborted) throw abortedBefore();
    const report = new Report(kind);
    const reported = (error: unknown) => {
      const facts = report.finish(error);
      onReport?.(facts);
      this.#options.onReport?.(facts);
      if (error instanceof SandboxError) error.report = facts as any;
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
      // The manager may have closed between the wait and this line, while the execution was in neither list.
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

  async #validated(output: unknown, signal: AbortSignal | undefined) {
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

  async #run(code: string, { kind, style, variables, signal, execution, report }: any) {
    // An abort by the caller ends the execution like its deadline.
    const abort = () => execution.abort(signal.reason);
    const stopListening = signal && onAbort(signal, abort);
    // An abort between the wait for a slot and this line had no listener.
    if (signal?.aborted) abort();
    let taken: Promise<Isolate> | undefined;
    let program: Program | undefined;
    try {
      taken = this.#pool.take();
      // The program may fail first, and then nothing awaits `taken`.
      taken.catch(() => {});
      const { executionTimeoutMs: timeoutMs } = this.#options;
      // The worker thread continues to parse for a while after the limit.
      program = await withTimeLimit(programOf(code, kind, style), {
        timeoutMs,
        signal: execution.stop,
        late: () => readingTooSlow(timeoutMs),
        aborted: (reason) => execution.failure ?? aborted('while its program was read', timeoutMs, reason),
      });
      report.style = program.style;
      // A stopped process is detected as lost only after a minute.
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
      // The caller receives its answer first.
      setImmediate(() => this.#replace(taken));
    }
  }

  /** Disposes a used isolate, and lets the pool create others. */
  #replace(taken: Promise<Isolate> | undefined) {
    taken?.then(
      (isolate) => isolate.dispose(),
      () => {},
    );
    this.#pool.fill();
  }
}
export interface SandboxManager extends AwaitUsing {}
makeDisposable(SandboxManager.prototype, SandboxManager.prototype.close);

/** The report of one execution. */
class Report {
  kind;

  #asked = performance.now();
  #began = 0;
  #prepared = 0;
  #run: any = {};
  /** Undefined until the program has been parsed. */
  style: 'sync' | 'async' | undefined;
  sdkCalls: Record<string, number> = {};

  constructor(kind: string) {
    this.kind = kind;
  }

  began() {
    this.#began = performance.now();
  }

  prepared() {
    this.#prepared = performance.now();
  }

  /** @param run output or error */
  take(run: any) {
    this.#run = run;
  }

  finish(error: any) {
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

function factsOf({ code, message, details }: any) {
  const { line, column } = details ?? {};
  return { code, message, ...(line !== undefined && { line, column }) };
}
