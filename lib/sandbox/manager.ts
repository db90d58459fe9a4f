import { availableParallelism } from 'node:os';

import { makeDisposable } from '../contract/await-using';
import { setImmediate } from '../contract/clock';
import { describe } from '../contract/describe';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { abortController, onAbort } from '../contract/signals';
import { Methods } from './adapters';
import { MethodDeclarations } from './declarations';
import { SandboxError, busy, closed, codeTooLarge, readingTooSlow } from './errors';
import { Execution } from './execution';
import { aborted, failureOf, logsOf } from './failures';
import { DISPLAY, displayTo } from '../contract/display';
import { useOf } from '../contract/name-use';
import { withTimeLimit } from '../contract/time-limit';
import { Isolate } from './isolate';
import { checkExecutionOptions, checkManagerOptions } from './options';
import { Pool } from './pool';
import { programOf } from './program';
import { RateLimit } from './rate-limits';
import { withNote } from '../contract/logs';
import { Registry } from './registry';
import { Report } from './report';
import { validState } from './state';
import { globalsText } from '../contract/globals-text';
import type { GlobalsText } from '../contract/globals-text';
import type { AwaitUsing } from '../contract/await-using';
import type { Api } from './execution';
import type { ExecuteOptions, ExecutionOptions, SandboxManagerOptions } from './options';
import type { Tools } from '../contract/tool-types';
import type { Program } from '../ses/program';
import type { DashboardState, StandardSchemaV1, StateOf } from './state';

/** One execution that has a slot. */
interface Order {
  kind: 'search' | 'execute' | 'mutate';
  style: ExecutionOptions['style'];
  variables: Record<string, unknown>;
  signal: AbortSignal | undefined;
  execution: Execution;
  report: Report;
}

/** Creating an isolate keeps a core busy. Half of the cores stay free for running programs. */
const MAX_MAKING = Math.ceil(availableParallelism() / 2);

/**
 * Runs programs of models against an API. Each execution has its own isolate, which is created ahead and never reused.
 *
 * @example
 * ```js
 * const manager = new SandboxManager({ registry, adapters: { market: { getKline: async (params) => [] } } });
 * const found = await manager.executeSearch("spec.find('kline')");
 * const state = await manager.executeCode(
 *   "var k = sdk.market.getKline({ symbol: 'XAU' }); ({ title: 'Gold', panels: [] })",
 * );
 * const next = await manager.executeMutate('(state) => ({ ...state, title: "x" })', state);
 * await manager.close();
 * ```
 */
export class SandboxManager<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each host has its own
  Context = any,
> {
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
  #declarations: MethodDeclarations;

  /**
   * @throws `TypeError` for options of the wrong type, unknown ones, and methods without an adapter
   * @throws `RangeError` for options out of bounds
   */
  constructor(options: SandboxManagerOptions<Schema, Context>) {
    const checked = checkManagerOptions(options);
    this.#options = checked;
    this.#registry = new Registry(checked.registry);
    this.#declarations = new MethodDeclarations(this.#registry, checked.maxDeclarationChars);
    this.#methods = new Methods(this.#registry, checked.adapters, checked.maxParamsBytes);
    const limits = new Map();
    for (const [source, given] of checked.rateLimits) {
      if (!this.#registry.hasSource(source)) throw new TypeError(`options.rateLimits.${source} is not a source`);
      limits.set(source, new RateLimit(given));
    }
    this.#api = {
      methodOf: (source, method) => this.#methods.get(source, method),
      rateLimitOf: (source) => limits.get(source),
      describe: (names, isAsync) => this.#declarations.describe(names, isAsync),
      maxSdkCalls: checked.maxSdkCalls,
    };
    const { executionTimeoutMs, memoryLimitMb, maxOperations, maxSdkCalls, maxTransferBytes, maxLogBytes } = checked;
    const { isolation, remote, sandbox, owner, maxParkedMb, globals, network } = checked;
    const isolateOptions = {
      isolation,
      remote,
      sandbox,
      owner,
      maxParkedMb,
      globals,
      network,
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

  /** The sources, with the number of their methods. */
  get sources(): { name: string; description: string; methods: number }[] {
    return this.#registry.summary.map((source) => ({ ...source }));
  }

  /**
   * The declarations of all methods as TypeScript, or undefined if they are longer than `maxDeclarationChars`.
   *
   * @param style of the programs
   * @internal
   */
  declarations(style: 'sync' | 'async'): string | undefined {
    return this.#declarations.all(style === 'async');
  }

  /** Number of isolates that are ready now. */
  get ready(): number {
    return this.#pool.ready;
  }

  /** Limits of one execution, as prompts state them. */
  get limits(): { executionTimeoutMs: number; memoryLimitMb: number; maxSdkCalls: number } {
    const { executionTimeoutMs, memoryLimitMb, maxSdkCalls } = this.#options;
    return { executionTimeoutMs, memoryLimitMb, maxSdkCalls };
  }

  /**
   * What programs have of the option `globals`, for prompts.
   *
   * @internal
   */
  get globalsText(): GlobalsText {
    const { globals, network } = this.#options;
    return globalsText(globals, network);
  }

  /** Runs a program that only has `spec` and `tools`, and returns its value. */
  async executeSearch(code: string, options?: ExecuteOptions<Context>): Promise<unknown> {
    return await this.#execute('search', code, options, {});
  }

  /** Runs a program that has `spec`, `tools`, `sdk` and `utils`. Returns its value, which must be a valid state. */
  async executeCode(code: string, options?: ExecuteOptions<Context>): Promise<StateOf<Schema>> {
    return (await this.#execute('execute', code, options, {})) as StateOf<Schema>;
  }

  /**
   * Runs a program that is a function of the state, or that uses the variable `state`. The program receives a hardened
   * copy, so `state` itself never changes. Returns the new state, which must be valid.
   */
  async executeMutate(
    code: string,
    state: StateOf<Schema>,
    options?: ExecuteOptions<Context>,
  ): Promise<StateOf<Schema>> {
    return (await this.#execute('mutate', code, options, { state })) as StateOf<Schema>;
  }

  /** Ends all executions with `ERR_SANDBOX_CLOSED` and disposes the isolates. Does not wait for guests or adapters. */
  async close(): Promise<void> {
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
    const abortedBefore = () => aborted('before it began', this.#options.executionTimeoutMs, signal?.reason);
    if (signal?.aborted) throw abortedBefore();
    const report = new Report(kind);
    const reported = (error: unknown) => {
      const facts = report.finish(error);
      onReport?.(facts);
      this.#options.onReport?.(facts);
      if (error instanceof SandboxError) error.report = facts;
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

  async #run(code: string, { kind, style, variables, signal, execution, report }: Order) {
    // An abort by the caller ends the execution like its deadline.
    const abort = () => execution.abort(signal?.reason);
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
      const read = await withTimeLimit(programOf(code, kind, style), {
        timeoutMs,
        signal: execution.stop,
        late: () => readingTooSlow(timeoutMs),
        aborted: (reason) => execution.failure ?? aborted('while its program was read', timeoutMs, reason),
      });
      program = read.program;
      report.style = read.style;
      // A stopped process is detected as lost only after a minute.
      const isolate = await withTimeLimit(taken, {
        signal: execution.stop,
        aborted: (reason) => execution.failure ?? aborted('before it began', timeoutMs, reason),
      });
      report.prepared();
      const tools: Tools = useOf(code, DISPLAY) === 'used' ? { [DISPLAY]: displayTo(report.content) } : {};
      const result = await isolate.run(program.text, execution, { variables, tools });
      report.take(withNote(logsOf(result, execution), program.note), result.stats);
      return result.output;
    } catch (error) {
      if (program === undefined) throw error;
      const failure = failureOf(error, program, execution, this.#methods);
      report.take(failure);
      throw failure;
    } finally {
      stopListening?.();
      report.sdkCalls = execution.callsBySource;
      report.content.end();
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
/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unused-vars -- it has the parameters of the class */
export interface SandboxManager<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  Context = any,
> extends AwaitUsing {}
/* eslint-enable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unused-vars */
makeDisposable(SandboxManager.prototype, SandboxManager.prototype.close);
