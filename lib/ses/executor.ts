import { ENDING } from '../contract/boundary-numbers';
import { NativeConnection, succeeded } from './native-connection';
import { describe } from '../contract/describe';
import { ExecutorError, abortedBeforeStart, reasonText } from '../contract/errors';
import { makeDisposable } from '../contract/await-using';
import { describeOffer, describePrograms } from '../contract/executor';
import { MISSING_HINT, hintOfMissing, hintOfMissingInPython } from '../contract/missing-names';
import { defineEntries } from '../contract/logs';
import { checkOptions, checkRunOptions, refuseTypeCheck } from '../contract/options';
import { PlanGuard } from '../contract/plan-guard';
import { Readiness, recovered } from '../contract/readiness';
import { onAbort } from '../contract/signals';
import { refuseUnwritableNames } from '../contract/tool-names';
import { flattenTools, refuseReservedName } from '../contract/tool-registry';
import { ToolTimes } from '../contract/tool-times';
import { traceRun } from '../contract/tracing';
import { encodeVariables, namesOfVariables } from '../contract/variables';
import { readOutput } from './output';
import { programText } from './program-text';
import { warningText, withWarnings } from './type-checks';
import { encode, withoutWire } from './transfer';
import { uncalledNotice } from './uncalled';
import type { AwaitUsing } from '../contract/await-using';
import type { ExecutorOptions, RunOptions } from '../contract/executor-options';
import type { CodeOutput, Executor, ExecutorState, Isolation } from '../contract/executor-types';
import type { Tools } from '../contract/tool-types';
import type { EngineSpec, Outcome } from './native-connection';
import type { Recording } from './recording';

/**
 * Runs guest code in its own isolate, on its own thread. Runs share state: later runs see the variables of earlier
 * ones.
 *
 * An idle executor does not keep the process alive and need not be cleaned up.
 *
 * @example
 * ```js
 * const executor = new SESExecutor({ timeoutMs: 5_000 });
 * await executor.init();
 * await executor.sendTools({ add: (a, b) => a + b });
 * const { output } = await executor.run('add(1, 2)'); // 3
 * await executor.cleanup();
 * ```
 */
export class SESExecutor implements Executor {
  #connection: NativeConnection;
  #readiness;

  static {
    describeOffer(this.prototype, (executor) => executor.#connection.offer);
    describePrograms(this.prototype, (executor) => executor.#connection.programs);
  }

  /**
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(options?: ExecutorOptions);
  /**
   * @internal
   * @param engine the engine of the isolates, if they are not hardened realms
   * @param recording what records the session
   */
  constructor(options?: ExecutorOptions, engine?: EngineSpec, recording?: Recording);
  constructor(options?: ExecutorOptions, engine?: EngineSpec, recording?: Recording) {
    const connection = (this.#connection = new NativeConnection(checkOptions(options), engine, recording));
    this.#readiness = new Readiness(connection, {
      state: () => connection.native.state,
      isLost: () => connection.native.state === 'DIRTY' || connection.owesTools,
      init: () => connection.init(),
      renew: () => connection.renew(),
    });
  }

  /** The current state (section 4.1). */
  get state(): ExecutorState {
    return this.#connection.native.state;
  }

  /** Where the isolate runs, and what confines it. */
  get isolation(): Isolation {
    return this.#connection.isolation;
  }

  /**
   * Creates the isolate (section 4.3, 1). Allowed in `NEW` and `DEAD`. Does nothing in `READY`. In `INITIALIZING` it
   * joins the call in progress.
   *
   * Rejects with `ERR_SES_INIT_FAILED`, or with `ERR_WORKER_LOST` if the worker process ended during the call; the
   * state is `DEAD` then. Also rejects with `ERR_INVALID_STATE`.
   */
  async init(): Promise<void> {
    await this.#connection.init();
  }

  /**
   * Defines global variables of guest code (section 4.3, 2), as hardened structured clones. An existing name gets the
   * new value. Allowed in `READY`, and with `runConcurrency: "queue"` also in `RUNNING`, where the call waits in
   * the queue.
   *
   * Rejects with `ERR_INVALID_STATE`, and with a `TypeError` for a value that cannot be cloned and for a reserved name.
   * The message names the path of the value. Reserved names are `console`, `harden`, `globalThis`, `final_answer`,
   * `undefined`, `NaN`, `Infinity`, and all names that begin with `__smol_`.
   */
  async sendVariables(variables: Record<string, unknown>): Promise<void> {
    const names = namesOfVariables(variables);
    for (const name of names) {
      if (name === 'final_answer') throw new TypeError('variables.final_answer must have another name: it is built in');
      refuseReservedName(name, 'variables');
    }
    if (!this.#connection.isPython) refuseUnwritableNames(names, 'variables');
    const payload = encodeVariables(variables, names, this.#connection.maxTransferBytes, encodeList);
    const types = this.#connection.typeChecks?.typesOf(variables, names);
    const checking = this.#connection.typeChecks?.underWay;
    if (checking !== undefined) await checking.catch(() => {});
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    await this.#connection.sendVariables(names, payload, types);
  }

  /**
   * Defines functions that guest code can call (section 4.3, 3). An existing name gets the new function or namespace,
   * and the functions of the old namespace are revoked. A tool called `final_answer` is ignored, because the executor
   * has its own function of that name. Allowed in the states of {@link sendVariables}.
   *
   * Rejects with `ERR_INVALID_STATE`, and with a `TypeError` for a reserved name and for a value that is neither a
   * function nor a plain object of functions. The message names the path of the value.
   */
  async sendTools(tools: Tools): Promise<void> {
    const functions = flattenTools(tools);
    if (!this.#connection.isPython) refuseUnwritableNames(Object.keys(tools), 'tools');
    const checking = this.#connection.typeChecks?.underWay;
    if (checking !== undefined) await checking.catch(() => {});
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    await this.#connection.sendTools(functions);
  }

  /**
   * Runs guest code (sections 4.3, 4 and 7.2). Allowed in `READY`, and with `runConcurrency: "queue"` also in
   * `RUNNING`.
   *
   * Rejects with any code of {@link ExecutorErrorCode} except those of `init()` and `cleanup()`, and with a `TypeError`
   * if `code` is not a string or an option has the wrong type.
   */
  async run(code: string, options?: RunOptions): Promise<CodeOutput> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    return traceRun(this, code, () => this.#run(code, options));
  }

  async #run(code: string, options?: RunOptions) {
    const given = checkRunOptions(options);
    const { maxOperations, toolTimeoutMs, signal, language, typecheck: mode } = given;
    const plan = PlanGuard.of(given.plan);
    const core = this.#connection;
    if (core.isPython) refuseTypeCheck(given, 'Python');
    const timeoutMs = given.timeoutMs ?? core.timeoutMs;
    const refuseIfAborted = () => {
      if (signal?.aborted) throw abortedBeforeStart(signal.reason, timeoutMs);
    };
    refuseIfAborted();
    const ready = this.#readiness.makeReady();
    if (ready !== undefined) await ready;
    refuseIfAborted();
    const { code: source, note } = core.isPython ? { code } : programText(code, true);
    const checking = core.checkTypes({ code, mode, language, signal, timeoutMs });
    const verdict = checking === undefined ? undefined : await checking;
    refuseIfAborted();
    const isFirst = this.#readiness.beginRun();
    const call = core.nextCall();
    const forgetProgram = core.keepProgram(source);
    const toolTimes = new ToolTimes(toolTimeoutMs, core.toolTimeoutMs);
    const started = core.native.run(call, source, maxOperations, timeoutMs, toolTimes.limitAll, language);
    const hasFailed = core.typeChecks?.begin(verdict);
    if (core.native.state === 'RUNNING') core.recording?.begun(given);
    const settled = core.settled(call, started, { run: { toolTimes, plan } });
    const stopListening = signal && onAbort(signal, () => core.native.abort(call, reasonText(signal.reason)));
    try {
      const outcome = succeeded(await settled) as Outcome;
      const { maxTransferBytes, life } = core;
      const output = readOutput(outcome, { maxTransferBytes, timeoutMs, signal, life });
      let result = outputOf(outcome, output instanceof Promise ? await output : output);
      const warning = verdict && warningText(verdict.warnings);
      if (warning !== undefined) result = core.noted(result, warning);
      const notice = core.isPython ? undefined : (note ?? uncalledNotice(source, result));
      if (notice !== undefined) result = core.noted(result, notice);
      return isFirst ? recovered(result) : result;
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      hasFailed?.(error);
      if (error.code === 'ERR_VALIDATION_FAILED') forgetProgram();
      if (verdict !== undefined) error.details = withWarnings(error.details, verdict.warnings);
      const hintOf = core.isPython ? hintOfMissingInPython : hintOfMissing;
      const hint = hintOf(source, error.details ?? {}, core.surroundings);
      const isDetail = core.isPython || error.details?.hint !== undefined;
      if (hint !== undefined && isDetail) error.details = { ...error.details, hint };
      else if (hint !== undefined) Object.defineProperty(error, MISSING_HINT, { value: hint });
      if (isFirst) error.details = recovered({ ...error.details });
      throw error;
    } finally {
      stopListening?.();
    }
  }

  /**
   * Releases the isolate (section 4.3, 5). Allowed in any state; the state is `DEAD` afterwards. Pending calls fail
   * with `ERR_INVALID_STATE`. Never waits for guest code.
   *
   * Rejects with `ERR_CLEANUP_FAILED`. Even then the executor can be used again.
   */
  async cleanup(): Promise<void> {
    this.#readiness.forget();
    await this.#connection.cleanup();
  }
}
export interface SESExecutor extends AwaitUsing {}
makeDisposable(SESExecutor.prototype, SESExecutor.prototype.cleanup);

function encodeList(values: unknown[], path: string, maxBytes: number, shown: object) {
  return withoutWire(values, path, maxBytes) ?? encode(values, path, maxBytes, shown);
}

function outputOf({ ending, stats, logs, logIndex }: Outcome, output: unknown): CodeOutput {
  // A run has both logs and figures.
  const outcome = { output, logs, is_final_answer: ending === ENDING.FINAL, logEntries: [], stats } as CodeOutput;
  return logIndex === undefined ? outcome : defineEntries(outcome, logs ?? '', logIndex, { enumerable: true });
}
