import { AsyncResource } from 'node:async_hooks';

import { ExecutorError } from '../contract/errors';
import { hintOfTimeout } from '../contract/hints';
import { isIdentifier } from '../contract/identifiers';
import { REFUSALS, invalidState } from '../contract/lifecycle';
import { defineEntries, eachEntry, noteEntry, withNote } from '../contract/logs';
import { DELIVERY, ENDING } from '../contract/boundary-numbers';
import { OPTIONS } from '../contract/option-table';
import { RunScope } from '../contract/run-scope';
import activeExecutors = require('./active-executors');
import { LogFeed } from './log-feed';
import { nativeServices, offerRequests } from './guest-services';
import { nativeModules } from './modules';
import { RunCalls } from './run-calls';
import { NOT_STORED, recorded } from './recording';
import { localeEnvironment } from './locale-environment';
import { ToolRegistry } from '../contract/tool-registry';
import { TypeChecks } from './type-checks';
import type { Native, Recording } from './recording';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { Foreign } from '../contract/foreign';
import type { CheckedOptions, TypeCheck } from '../contract/options';
import type { Language } from '../contract/executor-options';
import type { CheckedRun } from './type-checks';
import type { PlanGuard } from '../contract/plan-guard';
import type { ToolTimes } from '../contract/tool-times';
import type { KnownPrograms, Offer } from '../contract/executor';
import type { Tool } from '../contract/tool-registry';
import type { Surroundings } from '../contract/missing-names';
import type { CodeOutput, Isolation, RunStats } from '../contract/executor-types';
import type { NativeExecutor, NativeOutcome } from '../../native';
import type { LogIndex } from '../contract/logs';

/**
 * The arguments of `deliver` when a call has settled: its number, how it ended (0 done, 1 a value, 2 a final answer, 3
 * an error) and the value. The value is a primitive, an ArrayBuffer that stands for a Uint8Array on it, serialized
 * bytes, or a `NativeError`. The figures are those of a run. The log and the elements after it are present if there are
 * entries. For each entry they hold the number of its level, its time in milliseconds since the Unix epoch, and its
 * length in UTF-16 units in the log.
 */
export type NativeSettled = [
  call: number,
  ending: number,
  payload: unknown,
  durationMs?: number,
  operations?: number,
  toolCalls?: number,
  heapUsedBytes?: number,
  logs?: string,
  logLevels?: Uint8Array,
  logTimes?: Float64Array,
  logLengths?: Uint32Array,
];

/** The text of log entries, and their positions in it. */
type NativeLogs = [logs: string, levels: Uint8Array, times: Float64Array, lengths: Uint32Array];

export interface Outcome {
  ending: number;
  payload: Foreign;
  /** of a run, like the logs */
  stats?: RunStats;
  logs?: string;
  /** undefined without entries */
  logIndex?: LogIndex;
  /** the value that the host's tool threw */
  cause?: { cause: unknown };
  /** tool calls whose time counts and that the host had not answered */
  unanswered?: number;
}

/** An engine of the native side, with its settings. All paths are absolute. */
export interface EngineSpec {
  name: 'python';
  /** values that only the engine reads */
  settings: Record<string, string[]>;
  /** folder for results that take long to compute */
  cache?: string;
  folders: EngineFolder[];
}

/** A folder that isolates can access. */
export interface EngineFolder {
  name: string;
  root: string;
  readOnly: boolean;
  /** name of the file in the folder that lists the code in it */
  list?: string;
}

export interface PendingCall {
  resolve: (outcome: Outcome) => void;
  /** of a run */
  run?: RunOfCall;
  /** called when the isolate has finished the call, before anything else is accepted */
  onDone?: () => void;
}

export interface RunOfCall {
  toolTimes: ToolTimes;
  plan: PlanGuard | undefined;
  /** the context of the caller, in which its tools are called */
  context: AsyncResource;
}

/** Programs whose texts are kept for plans of later ones, and the length of all of them in UTF-16 units: 256 KiB. */
const MAX_PROGRAMS = 256;
const MAX_PROGRAM_CHARS = 256 << 10;

/** Kept because `require` searches its cache each time. */
let addon: typeof import('../../native') | undefined;

/** All executors of this thread report through it. */
let dispatcher: import('../../native').NativeDispatcher | undefined;

/** Executors by the number that they report with. Held weakly; see `./active-executors`. */
const reporting: Map<number, WeakRef<NativeConnection>> = new Map();
const collected: FinalizationRegistry<number> = new FinalizationRegistry((number) => reporting.delete(number));
let nextNumber = 1;

/** Not a closure of the constructor: that would keep its executor alive. */
function report(number: number, kind: number, ...parts: unknown[]) {
  reporting.get(number)?.deref()?.receive(kind, parts);
}

/** The options that the native side takes, in its order. */
const PASSED = OPTIONS.filter(({ rust }) => rust !== null).map(({ name }) => name);

/** @param tools receives the functions of modules */
function nativeOptions(options: CheckedOptions, tools: ToolRegistry) {
  return PASSED.map((name) => {
    if (name === 'modules') return nativeModules(options.modules, tools);
    if (name === 'network') return nativeServices(options, tools);
    if (name === 'onLog') return options.onLog !== undefined;
    return options[name as keyof typeof options];
  });
}

/** The parts of one executor on this side: the native executor, calls under way, tools. */
export class NativeConnection {
  autoInit;
  recover;
  timeoutMs;
  toolTimeoutMs;
  maxTransferBytes;
  maxConcurrentToolCalls;
  onToolCall;
  tools;
  native: Native;
  recording;

  /** Runs are in the order in which they started. */
  #calls: Map<number, PendingCall> = new Map();
  #nextCall = 1;
  /** Tool calls of the current run. */
  #toolCalls;
  /** Functions that have returned promises without being `async`. The guest learns this with each call. */
  promising: WeakSet<Function> = new WeakSet();
  /** Ends with `cleanup()`. Scopes work for runs that the isolate has already finished. */
  life = new RunScope();
  #logFeed;
  /** Where the isolate lives. */
  #mode;
  isPython;
  /** Names of the variables that the isolate has. */
  readonly variables: Set<string> = new Set();
  /** Modules that guests may import, and what is in them. */
  readonly imports;
  readonly globals;
  readonly network;
  readonly modules;
  readonly language;
  readonly typecheck;
  readonly typeChecks: TypeChecks | undefined;
  #isQueueing;
  #maxCodeBytes;
  /** The programs that the isolate has run; undefined if there were too many. */
  #programs: Set<string> | undefined = new Set();
  #programChars = 0;
  /** Whether a renewal has started and the new isolate does not have the tools yet. */
  owesTools = false;

  constructor(options: CheckedOptions, engine?: EngineSpec, recording?: Recording) {
    const { autoInit, recover, onLog, onToolCall, isolation, sandbox, spares, typecheck } = options;
    const remote = isolation === 'remote' ? options.remote : undefined;
    this.autoInit = autoInit;
    this.recover = recover;
    this.isPython = engine?.name === 'python';
    this.imports = options.authorizedImports;
    this.globals = options.globals;
    this.network = options.network;
    this.modules = options.modules;
    this.language = options.language;
    this.typecheck = typecheck;
    this.#isQueueing = options.runConcurrency === 'queue';
    this.#maxCodeBytes = options.maxCodeBytes;
    this.#mode = isolation;
    this.timeoutMs = options.timeoutMs;
    this.toolTimeoutMs = options.toolTimeoutMs;
    this.maxTransferBytes = options.maxTransferBytes;
    this.maxConcurrentToolCalls = options.maxConcurrentToolCalls;
    this.onToolCall = onToolCall;
    this.recording = recording;
    if (recording?.isRestored) this.#programs = recording.programs && new Set(recording.programs);
    this.#toolCalls = new RunCalls(this);
    this.tools = new ToolRegistry();
    this.#logFeed = new LogFeed(onLog, (kind, parts) => this.deliver(kind, parts));
    // Loaded lazily: code that only references the class must not load the addon.
    addon ??= require('../../native.cjs') as typeof import('../../native.cjs');
    dispatcher ??= new addon.NativeDispatcher(report);
    if (this.isPython && options.network !== undefined) offerRequests(options.network, this.tools);
    const number = nextNumber++;
    const native = new addon.NativeExecutor(
      nativeOptions(options, this.tools),
      dispatcher,
      number,
      isolation === 'thread'
        ? undefined
        : { sandbox, spares, environment: localeEnvironment(recording?.timeZone), remote },
      engine,
      ...((recording === undefined ? [] : [recording.journal]) as []),
    );
    this.native = recording === undefined ? native : recorded(native, recording);
    recording?.attach(this.tools, () => this.#endCalls());
    this.typeChecks = this.isPython ? undefined : new TypeChecks(this, typecheck);
    this.tools.onBound = (tools) => this.typeChecks?.hasOtherTools(tools);
    reporting.set(number, new WeakRef(this));
    collected.register(this, number);
  }

  /** The names that hints can mention. */
  get surroundings(): Surroundings {
    const named = this.tools.list().filter(({ path }) => !path[0].startsWith('__') && path.every(isIdentifier));
    const functions = named.filter(({ isHelper }) => !isHelper).map(({ path }) => path.join('.'));
    return {
      functions,
      lookups: named.find(({ isLookup }) => isLookup)?.path[0],
      imports: this.imports,
      globals: this.globals,
    };
  }

  /** Whether a run would begin now, or wait in the queue. */
  get #acceptsRuns() {
    const { state } = this.native;
    return state === 'READY' || (state === 'RUNNING' && this.#isQueueing);
  }

  /**
   * Checks the types of a program that is about to run.
   *
   * @param run.mode null for that of the executor, like the language
   * @returns undefined if it is not checked, also because it will not run
   */
  checkTypes(
    run: Omit<CheckedRun, 'mode' | 'language' | 'source'> & { mode: TypeCheck | null; language: Language | null },
  ) {
    const { typeChecks } = this;
    if (typeChecks === undefined || !this.#acceptsRuns) return undefined;
    const { mode, language } = run;
    return typeChecks.check({ ...run, mode: mode ?? this.typecheck, language: language ?? this.language });
  }

  /**
   * Keeps the text of a program that runs now. Texts are dropped, and not known any more, if they would take too much
   * memory.
   *
   * @returns forgets the program, which has not run
   */
  keepProgram(code: string): () => void {
    const programs = this.#programs;
    if (programs === undefined || programs.has(code)) return () => {};
    programs.add(code);
    this.#programChars += code.length;
    if (programs.size > MAX_PROGRAMS || this.#programChars > MAX_PROGRAM_CHARS) this.#programs = undefined;
    return () => {
      if (programs === this.#programs && programs.delete(code)) this.#programChars -= code.length;
    };
  }

  /** The programs that the isolate has run. */
  get programs(): KnownPrograms | undefined {
    if (this.isPython) return undefined;
    const reading = { language: this.language, maxCodeBytes: this.#maxCodeBytes };
    return { texts: this.#programs && [...this.#programs], options: reading };
  }

  #forgetPrograms() {
    this.#programs = new Set();
    this.#programChars = 0;
  }

  get offer(): Offer {
    const { imports, globals, network } = this;
    return { imports, globals, network, variables: [...this.variables], tools: this.tools.list() };
  }

  /** @param payload the values of the variables */
  sendVariables(
    names: string[],
    payload: Parameters<NativeExecutor['sendVariables']>[2],
    types: Map<string, string> | undefined,
  ) {
    const sent = this.call(
      (call) => this.native.sendVariables(call, names, payload),
      () => names.forEach((name) => this.variables.add(name)),
    );
    return this.typeChecks?.sendingVariables(sent, names, types) ?? sent;
  }

  sendTools(functions: Tool[]) {
    const { specs, commit } = this.tools.stage(functions);
    const sent = this.call((call) => this.native.sendTools(call, specs), commit);
    return this.typeChecks?.sendingTools(sent, functions) ?? sent;
  }

  get isolation(): Isolation {
    const mode = this.#mode;
    if (mode === 'thread') return { mode };
    const process = this.native.worker ?? undefined;
    const sandbox = process && { landlock: process.landlock, seccomp: process.seccomp };
    if (mode === 'process') return { mode, pid: process?.pid ?? undefined, sandbox };
    return { mode, worker: process?.worker ?? undefined, node: process?.node ?? undefined, sandbox };
  }

  /**
   * Makes one call of the native executor and waits for its outcome.
   *
   * @param start returns the outcome, or null if the outcome follows later
   * @param onDone called when the isolate has finished the call, before anything else is accepted
   * @returns the outcome of a call that succeeded
   * @throws {ExecutorError}
   */
  async call(start: (call: number) => NativeOutcome | null, onDone?: () => void): Promise<Outcome | undefined> {
    const call = this.nextCall();
    return succeeded(await this.settled(call, start(call), { onDone }));
  }

  nextCall() {
    return this.#nextCall++;
  }

  /**
   * @param decided what the native side returned for the call
   * @param about the call
   * @returns undefined for a call that succeeded immediately
   */
  settled(
    call: number,
    decided: NativeOutcome | null,
    { run, onDone }: { run?: Omit<RunOfCall, 'context'>; onDone?: () => void },
  ): Outcome | undefined | Promise<Outcome> {
    if (decided !== null) return decided.error && { ending: ENDING.ERROR, payload: decided.error };
    activeExecutors.begin(this);
    if (run === undefined) return new Promise((resolve) => this.#calls.set(call, { resolve, onDone }));
    const context = new AsyncResource('SESExecutorRun');
    return new Promise((resolve) => this.#calls.set(call, { resolve, run: { ...run, context } }));
  }

  /** Releases the isolate. Later answers of tools are not passed on. */
  cleanup() {
    return this.call((call) => {
      this.life.end();
      this.life = new RunScope();
      this.owesTools = false;
      this.#forgetToolCalls();
      this.#forgetPrograms();
      this.variables.clear();
      this.tools.clear();
      this.typeChecks?.reset();
      return this.native.cleanup(call);
    });
  }

  init() {
    return this.call((call) => this.native.init(call));
  }

  /**
   * Creates a new isolate in place of one that cannot go on, and gives it the same tools. `cleanup()` ends it.
   *
   * @throws {ExecutorError}
   */
  async renew() {
    const { life } = this;
    const goOn = () => {
      if (life.isOver) throw invalidState(this.native.state, 'init', REFUSALS.CLEANED_UP);
    };
    this.owesTools = true;
    await this.call((call) => {
      this.#forgetToolCalls();
      this.#forgetPrograms();
      this.variables.clear();
      return this.native.cleanup(call);
    });
    goOn();
    await this.init();
    goOn();
    const specs = this.tools.specs();
    if (specs.length > 0) await this.call((call) => this.native.sendTools(call, specs));
    goOn();
    this.typeChecks?.reset();
    this.typeChecks?.hasTools(this.tools.list());
    this.owesTools = false;
  }

  /** Receives the reports of the native side. They wait until what they follow from is stored. */
  receive(kind: number, parts: unknown[]) {
    const { recording } = this;
    if (recording === undefined) return this.deliver(kind, parts);
    recording.whenStored(() => {
      // Calls that are pending are settled in any case.
      if (!recording.hasFailed || kind === DELIVERY.SETTLED) this.deliver(kind, parts);
    });
  }

  deliver(kind: number, parts: unknown[]) {
    if (this.#logFeed.keeps(kind, parts)) return;
    switch (kind) {
      case DELIVERY.SETTLED:
        return this.#settle(parts as NativeSettled);
      case DELIVERY.TOOL_CALLS:
        return this.#callTools(parts);
      case DELIVERY.LOGS:
        return this.#onLogs(parts as NativeLogs);
    }
  }

  /** The output of a run with a further line in its log. */
  noted(output: CodeOutput, notice: string): CodeOutput {
    this.#logFeed.tell(noteEntry(notice));
    return withNote(output, notice);
  }

  /** @param parts the text of the entries, and their positions in it */
  #onLogs([logs, levels, times, lengths]: NativeLogs) {
    const begin = () => this.#logFeed.begin(eachEntry(logs, { levels, times, lengths }));
    const run = this.runUnderWay();
    if (run === undefined) begin();
    else run.context.runInAsyncScope(begin);
  }

  #settle(args: NativeSettled) {
    const call = args[0];
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#calls.delete(call);
    if (this.#calls.size === 0) activeExecutors.end(this);
    const outcome = outcomeOf(args);
    if (outcome.ending === ENDING.ERROR) outcome.cause = this.#toolCalls.causeOf(outcome.payload.toolCallId);
    // Any other failure is one of the isolate, which may have done part of the call.
    if (outcome.ending !== ENDING.ERROR || outcome.payload.code !== 'ERR_INVALID_STATE') pending.onDone?.();
    // A run that did not start has called nothing, and another run may be under way.
    if (pending.run !== undefined && outcome.stats !== undefined) {
      if (!pending.run.toolTimes.limitAll) outcome.unanswered = this.#toolCalls.unanswered;
      this.#forgetToolCalls();
    }
    pending.resolve(outcome);
  }

  /** Ends all calls, because their commands cannot be stored. The caller knows the reason. */
  #endCalls() {
    const pending = [...this.#calls.values()];
    this.#calls.clear();
    if (pending.length > 0) activeExecutors.end(this);
    this.#forgetToolCalls();
    for (const { resolve } of pending) resolve({ ending: ENDING.ERROR, payload: NOT_STORED });
  }

  #forgetToolCalls() {
    this.#toolCalls.end();
    this.#toolCalls = new RunCalls(this);
  }

  /**
   * @param parts call, tool, isAsync, number of arguments, and the arguments, or -1 and their serialized bytes;
   *   repeated for each call
   */
  #callTools(parts: Foreign[]) {
    for (let at = 0; at < parts.length;) {
      const [call, id, isAsync, count] = [parts[at], parts[at + 1], parts[at + 2], parts[at + 3]];
      const from = at + 4;
      at = from + Math.abs(count);
      this.#toolCalls.add(call, id, isAsync, count < 0 ? parts[from] : parts.slice(from, at));
    }
  }

  /** The run in progress. Runs follow one another. */
  runUnderWay() {
    for (const { run } of this.#calls.values()) if (run !== undefined) return run;
    return undefined;
  }
}

function outcomeOf(args: NativeSettled): Outcome {
  const [, ending, payload, durationMs, operations, toolCalls, heapUsedBytes] = args;
  const outcome: Outcome = {
    ending,
    payload,
    stats: undefined,
    logs: undefined,
    logIndex: undefined,
    cause: undefined,
    unanswered: 0,
  };
  if (durationMs === undefined) return outcome;
  outcome.stats = { durationMs, operations, toolCalls, heapUsedBytes } as RunStats;
  outcome.logs = '';
  if (args.length > 7) {
    const [, , , , , , , logs, levels, times, lengths] = args;
    outcome.logs = logs;
    outcome.logIndex = { levels, times, lengths } as LogIndex;
  }
  return outcome;
}

/**
 * Called where the outcome is awaited, not where it arrives, so that the stack of the error contains the caller's
 * `await`s.
 *
 * @throws {ExecutorError}
 */
export function succeeded<T extends Outcome | undefined>(outcome: T): T {
  if (outcome?.ending === ENDING.ERROR) throw errorOf(outcome);
  return outcome;
}

export function errorOf({ payload, stats, logs, logIndex, cause, unanswered = 0 }: Outcome) {
  const { code, severity, retryable, message } = payload;
  const details = JSON.parse(payload.details);
  if (code === 'ERR_EXEC_TIMEOUT' && details.reason === 'deadline') {
    const hint = hintOfTimeout(details.hint, unanswered);
    if (hint !== undefined) details.hint = hint;
  }
  const logEntries = logs === undefined ? undefined : [];
  const fields = { code, severity, retryable, details, logs, logEntries, stats };
  const failure = new ExecutorError(code === 'ERR_INVALID_STATE' ? messageInState(details, message) : message, {
    ...fields,
    ...cause,
  });
  if (logs === undefined || logIndex === undefined) return failure;
  return defineEntries(failure, logs, logIndex, { enumerable: false });
}

/** The message of a call that a state refuses, which says more than the message of the native side. */
function messageInState({ state, operation, hint }: ExecutorErrorDetails, message: string) {
  if (state === undefined || operation === undefined || hint === undefined) return message;
  return invalidState(state, operation, hint).message;
}
