/**
 * Runs the JavaScript that an AI agent writes, in a hardened V8 isolate of its own inside the Node.js process.
 * Sections refer to the executor specification.
 *
 * @packageDocumentation
 */

/**
 * State of an executor (section 4.1).
 *
 * - `NEW`: made, not initialised.
 * - `INITIALIZING`: `init()` is under way.
 * - `READY`: takes variables, tools and runs.
 * - `RUNNING`: a run is under way.
 * - `DIRTY`: a run timed out, was aborted or left an isolate that cannot be trusted; call `cleanup()` and `init()`.
 * - `DEAD`: cleaned up; `init()` makes it `READY` again.
 */
export type ExecutorState = 'NEW' | 'INITIALIZING' | 'READY' | 'RUNNING' | 'DIRTY' | 'DEAD';

/** Level of a console call. `debug` goes beyond the specification. */
export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

/**
 * How code is read. `"typescript"`: types are stripped; enums, namespaces and parameter properties work; decorators, JSX,
 * `import name = …` and `export =` are diagnostics. `"auto"`: as JavaScript, and as TypeScript when only that parses. What
 * parses as JavaScript is never read as TypeScript.
 */
export type Language = 'auto' | 'javascript' | 'typescript';

/**
 * What an executor is made with (sections 3.1 and 3.3). All of it is optional and fixed at construction.
 *
 * The constructor throws a `TypeError` for a value of the wrong type and for an unknown name, and a `RangeError` for a
 * value out of bounds; messages name option, bound and value.
 */
export interface ExecutorOptions {
  /**
   * Loop iterations that one run may take, over all its loops and functions of earlier runs that it calls.
   *
   * An integer from 1 to 2^53 - 1; default 50,000. Any other *number* is accepted here and makes each run fail with
   * `ERR_VALIDATION_FAILED`, diagnostic `max_operations_valid` (section 6.2).
   */
  maxOperations?: number;
  /**
   * Deadline of one run in milliseconds, from its start; time in the queue does not count.
   *
   * An integer from 1 to 2^31 - 1; default 10,000. Any other *number* is accepted here and makes each run fail with
   * `ERR_VALIDATION_FAILED`, diagnostic `timeout_valid` (section 6.2).
   */
  timeoutMs?: number;
  /**
   * What a `run()` does while another one is under way (section 2.3): `"reject"`, the default, fails with
   * `ERR_INVALID_STATE`; `"queue"` waits for its turn, first in, first out.
   */
  runConcurrency?: 'reject' | 'queue';
  /**
   * Runs that may wait for their turn; one more fails with `ERR_INVALID_STATE`. An integer >= 0; default 0. Only used
   * with `runConcurrency: "queue"`.
   */
  maxQueuedRuns?: number;
  /** Module names that guest code may `import()`, compared exactly (section 5.3). Non-empty strings; default none. */
  authorizedImports?: string[];
  /**
   * UTF-8 bytes of log text that one run may leave; what comes after is cut and marked with `...[TRUNCATED]`
   * (section 7.3). An integer from 1,024 to 268,435,456; default 262,144.
   */
  maxLogBytes?: number;
  /** Console levels that are collected; calls of the others are ignored. Default: all five. */
  collectConsoleLevels?: LogLevel[];
  /**
   * Memory that guest code may use, in MiB, heap and array buffers together; beyond it a run fails with
   * `ERR_MEMORY_LIMIT_EXCEEDED`. An integer from 8 to 65,536; default 128.
   */
  memoryLimitMb?: number;
  /** UTF-8 bytes of code that one run may have; more is the diagnostic `code_too_large`. Default 1,048,576 (1 MiB). */
  maxCodeBytes?: number;
  /** Tool calls that one run may make; one more ends it with `ERR_TOOL_CALL_LIMIT_EXCEEDED`. Default 1,000. */
  maxToolCalls?: number;
  /** Calls of `async` tools that the host works on at the same time; further ones wait their turn. Default 64. */
  maxConcurrentToolCalls?: number;
  /**
   * Bytes that one value may take on its way between host and guest, and that the arguments of all unanswered tool
   * calls may take together. Default 67,108,864 (64 MiB).
   *
   * An output or variables beyond it fail with `ERR_TRANSFER_LIMIT_EXCEEDED`; a tool call whose arguments or result
   * are beyond it fails in the guest, with an error that has this code.
   */
  maxTransferBytes?: number;
  /**
   * Processor time of one run in milliseconds, on the isolate's own thread: waiting for tools does not count. Beyond
   * it the run fails with `ERR_EXEC_TIMEOUT`, `details.reason` is `"cpu"`. Default: not limited. Linux only.
   */
  maxCpuMs?: number;
  /**
   * `init()` fails with `ERR_SES_INIT_FAILED` while so many isolates of the process are parked
   * ({@link EngineStats.parked}). Default 16.
   */
  maxParkedIsolates?: number;
  /**
   * Isolates that the process keeps ready, so that `init()` need not make one; it is replaced in the background. They are
   * shared by all executors of the process, worker threads included, so that the value of the last constructor that
   * gives one holds; each isolate serves one executor, one with the `memoryLimitMb` that the isolate was made for. They
   * do not keep the process alive. An integer from 0, which turns it off, to 64; 1 from the first executor on.
   */
  warmPool?: number;
  /**
   * Whether `sendVariables`, `sendTools` and `run` call `init()` themselves when the state is `NEW` or `DEAD`.
   * Default `false`: they fail with `ERR_INVALID_STATE`.
   */
  autoInit?: boolean;
  /**
   * Language of guest code and of the texts in {@link ExecutorOptions.modules}; default `"auto"`. Positions in errors are
   * those of the source. Enums and namespaces are there in later runs, as other declarations are.
   */
  language?: Language;
  /**
   * Modules that guest code can import if `authorizedImports` has their names. Default none: a module that is
   * authorized but not provided is empty, and a `warn` log line says so.
   *
   * The constructor clones exported values, and throws a `TypeError` that names the path of one that cannot be cloned.
   */
  modules?: Modules;
  /**
   * Called with each log entry while the run goes on. What it throws is reported once, as a warning of the process, and
   * changes nothing else.
   */
  onLog?: (entry: LogEntry) => void;
}

/**
 * Modules by name: the text of an ES module, JavaScript or TypeScript, or what the module exports. Exported functions, and functions in exported
 * plain objects that hold nothing else, become tools; everything else is cloned.
 */
export type Modules = Record<string, string | Record<string, unknown>>;

/** Limits and language of one run. Absent ones are those of the executor. */
export interface RunOptions {
  /** As {@link ExecutorOptions.language}, for this run. */
  language?: Language;
  /** As {@link ExecutorOptions.maxOperations}, for this run. */
  maxOperations?: number;
  /** As {@link ExecutorOptions.timeoutMs}, for this run. */
  timeoutMs?: number;
  /**
   * Ends the run when it is aborted: the run fails with `ERR_EXEC_TIMEOUT` and `details.aborted`; `details.reason` is
   * the text of the signal's reason. The executor is `DIRTY` then, as after a timeout; but if the run had not started,
   * because the signal was aborted before or the run was in the queue, nothing changes.
   */
  signal?: AbortSignal;
}

/** One console call of guest code (sections 3.1 and 7.3). */
export interface LogEntry {
  level: LogLevel;
  /** The text as `console` of Node.js formats it, without a newline at the end. */
  message: string;
  /** Time of the call, ISO 8601 in UTC. */
  ts: string;
}

/** Figures of one run. */
export interface RunStats {
  /** Milliseconds from the start of the run to its outcome. */
  durationMs: number;
  /** Loop iterations that counted against `maxOperations`. Of a run that timed out: at least so many. */
  operations: number;
  /** Calls of host tools. */
  toolCalls: number;
  /** Heap of the isolate after the run, in bytes. */
  heapUsedBytes: number;
}

/** What a run gives (section 3.1). */
export interface CodeOutput {
  /**
   * The argument of `final_answer`; else what a top-level `return` gives, the value of the last expression, or the
   * variable of a last declaration. A structured clone; what cannot be cloned is the text that `util.inspect` gives. A
   * `Float16Array` is a `Float32Array` where Node.js does not have that class.
   */
  output: unknown;
  /** Log messages of the run in the order of the calls, joined by `\n` (section 7.3). */
  logs: string;
  /** Whether guest code called `final_answer` (section 5.4). */
  is_final_answer: boolean;
  /** The same logs, call by call. */
  logEntries: LogEntry[];
  stats: RunStats;
}

/**
 * Code of an {@link ExecutorError} (section 8.2); `docs/errors.md` says what each means and what to do.
 * `ERR_MEMORY_LIMIT_EXCEEDED`, `ERR_TOOL_CALL_LIMIT_EXCEEDED` and `ERR_TRANSFER_LIMIT_EXCEEDED` go beyond the
 * specification.
 */
export type ExecutorErrorCode =
  | 'ERR_INVALID_STATE'
  | 'ERR_SES_INIT_FAILED'
  | 'ERR_VALIDATION_FAILED'
  | 'ERR_IMPORT_NOT_ALLOWED'
  | 'ERR_MAX_OPS_EXCEEDED'
  | 'ERR_EXEC_TIMEOUT'
  | 'ERR_RUNTIME_EXCEPTION'
  | 'ERR_TOOL_PROXY_FAIL'
  | 'ERR_MEMORY_LIMIT_EXCEEDED'
  | 'ERR_TOOL_CALL_LIMIT_EXCEEDED'
  | 'ERR_TRANSFER_LIMIT_EXCEEDED'
  | 'ERR_CLEANUP_FAILED';

/** How bad a failure is (section 8.2). */
export type ExecutorErrorSeverity = 'FATAL' | 'ERROR' | 'WARN';

/** A failure as plain data (section 8.1): what `JSON.stringify(error)` gives. */
export interface NormalizedExecutorError {
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  message: string;
  retryable: boolean;
  details?: ExecutorErrorDetails;
  logs?: string;
}

/**
 * Facts about a failure. Which of them there are depends on the code; see `docs/errors.md`.
 */
export interface ExecutorErrorDetails {
  /** Guest errors: `name` of the error; `null` if what was thrown is no error. */
  name?: string | null;
  /** Guest errors: message of the error. */
  message?: string;
  /** Guest errors: line in the code that was passed to `run()`, from 1. */
  line?: number;
  /** Guest errors: column in that line in UTF-16 units, from 1. */
  column?: number;
  /** Guest errors: the lines around the position, marked; for people and models. */
  codeFrame?: string;
  /** Guest errors: stack with frames of guest code only. */
  stack?: string;
  /** Findings of validation: `ERR_VALIDATION_FAILED`, `ERR_IMPORT_NOT_ALLOWED`, and warnings of code that ran. */
  diagnostics?: Diagnostic[];
  /** `ERR_IMPORT_NOT_ALLOWED`: the module. */
  module?: string;
  /** `ERR_TOOL_PROXY_FAIL`: the tool, with its namespaces: `Host.readDoc`. */
  tool?: string;
  /** `ERR_TOOL_PROXY_FAIL`: the tool is not to blame; its arguments or its result could not cross. */
  bridge?: boolean;
  /** `ERR_EXEC_TIMEOUT`: the deadline of the run in milliseconds. */
  timeoutMs?: number;
  /** `ERR_EXEC_TIMEOUT`: the run was ended by its `signal`. */
  aborted?: boolean;
  /** `ERR_EXEC_TIMEOUT`: `"deadline"`, or what the signal says. */
  reason?: string;
  /** `ERR_MAX_OPS_EXCEEDED`: the limit. */
  maxOperations?: number;
  /** `ERR_INVALID_STATE`: the state in which the call was not legal. */
  state?: ExecutorState;
  /** `ERR_INVALID_STATE`: the call. */
  operation?: string;
  /** `ERR_INVALID_STATE`: what to do instead. */
  hint?: string;
  [fact: string]: unknown;
}

/**
 * Every promise of an executor that fails rejects with one of these (section 8); but arguments of the wrong type or
 * value are a `TypeError` or `RangeError`, since the program that embeds the executor is at fault then.
 */
export class ExecutorError extends Error {
  /**
   * @param message - one line, by the template of the code (section 8.2)
   * @param fields - the facts; `cause` as that of `Error`
   */
  constructor(
    message: string,
    fields: Omit<NormalizedExecutorError, 'message'> & { logEntries?: LogEntry[]; stats?: RunStats; cause?: unknown },
  );
  readonly name: 'ExecutorError';
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  /** Whether rewritten code, or the same call later, can succeed. */
  retryable: boolean;
  details?: ExecutorErrorDetails;
  /** What the run had logged until then; absent if there was no run. */
  logs?: string;
  /** The same logs, call by call. Not enumerable. */
  logEntries?: LogEntry[];
  /** Figures of the run that failed; absent if there was no run. Not enumerable. */
  stats?: RunStats;
  /** `ERR_TOOL_PROXY_FAIL`: what the host's tool threw, the value itself. */
  cause?: unknown;
  /** The failure as plain data (section 8.1). */
  toJSON(): NormalizedExecutorError;
}

/** What all executors of the process hold. */
export interface EngineStats {
  /** Isolates of executors, without those that are parked. V8 frees one a moment after its `cleanup()`. */
  live: number;
  /** Isolates that are ready and wait for an executor ({@link ExecutorOptions.warmPool}). */
  warm: number;
  /** Isolates that V8 could not go on with for lack of memory: thread and memory stay until the process ends. */
  parked: number;
  /** Memory of the parked isolates, in bytes. */
  parkedBytes: number;
  /** Isolates that were given up while they worked: at a deadline, by an abort, by `cleanup()`. */
  terminated: number;
}

/** Counters of the process, worker threads included. */
export function engineStats(): EngineStats;

/** Finding of validation (section 8.3). */
export interface Diagnostic {
  /** Identifier of the rule, e.g. `syntax_valid` (section 6.2, appendix B). */
  rule: string;
  /** `ERROR` keeps the code from running; the others do not. */
  severity: 'ERROR' | 'WARNING' | 'INFO';
  message: string;
  /** Line and column, both from 1, the column in UTF-16 units. Absent if the finding is not about a place. */
  location?: { line: number; column: number };
  /** What to write instead, where that is known. */
  fix?: string;
}

/** Code before and after TRANSFORM (section 6.1). */
export interface PreparedProgram {
  originalCode: string;
  /** The text that `run()` would evaluate; empty if a diagnostic is an `ERROR`. */
  transformedCode: string;
  diagnostics: Diagnostic[];
}

/**
 * Host functions by the name that guest code calls them by, or namespaces of such functions: plain objects, nested to
 * any depth up to 32.
 *
 * An `async` function gives the guest a promise at once. Any other function is called while the guest waits, and gives
 * it the value, or a promise if it returned one; of a {@link blocking} one, what the promise gives. Functions are called with their namespace as `this`. Arguments and
 * results are structured clones (section 7.4).
 */
export interface Tools {
  // `any`: tools declare the parameters that they expect.
  [name: string]: ((...args: any[]) => unknown) | Tools;
}

/**
 * A tool that gives guests a value and no promise, whatever it returns: they wait, without `await`, until the promise
 * settles. The host's thread does not wait. Deadlines, aborts and `cleanup()` end that as they end any run.
 *
 * @throws `TypeError` if `fn` is not a function
 */
export function blocking<T extends (...args: any[]) => unknown>(fn: T): T;

/** The executor's interface of smolagents-ts (section 3.2). */
export interface ICodeExecutor {
  init(): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  sendTools(tools: Record<string, (...args: any[]) => unknown>): Promise<void>;
  run(code: string): Promise<CodeOutput>;
  cleanup(): Promise<void>;
}

/**
 * What every executor of this package is, and what the adapters take: `ses-executor/ai` runs its code on any of them. The
 * methods are documented at {@link SESExecutor}.
 */
export interface Executor extends ICodeExecutor {
  readonly state: ExecutorState;
  sendTools(tools: Tools): Promise<void>;
  run(code: string, options?: RunOptions): Promise<CodeOutput>;
}

/**
 * Runs guest code in an isolate of its own, on a thread of its own, step by step with state that lives on.
 *
 * An executor that is idle neither keeps the process alive nor has to be cleaned up.
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
  /**
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(options?: ExecutorOptions);

  /** The state now (section 4.1). */
  get state(): ExecutorState;

  /**
   * Makes the isolate (section 4.3, 1). Legal in `NEW` and `DEAD`; does nothing in `READY`; while `INITIALIZING` it joins
   * the call under way.
   *
   * Rejects with `ERR_SES_INIT_FAILED`, after which the state is `DEAD`, and `ERR_INVALID_STATE`.
   */
  init(): Promise<void>;

  /**
   * Defines global variables of guest code (section 4.3, 2), as hardened structured clones. Names that exist already get
   * the new value. Legal in `READY`.
   *
   * Rejects with `ERR_INVALID_STATE`, and with a `TypeError` that names the path of a value that cannot be cloned, or a
   * reserved name: `console`, `harden`, `globalThis`, `final_answer` and those that begin with `__smol_`.
   */
  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /**
   * Defines functions that guest code can call (section 4.3, 3). A name that exists already gets the new function or
   * namespace, and functions of the old namespace are revoked. A tool called `final_answer` is left out, since the
   * executor has its own. Legal in `READY`.
   *
   * Rejects with `ERR_INVALID_STATE`, and with a `TypeError` that names the path of what is neither a function nor a
   * plain object of functions, or a reserved name.
   */
  sendTools(tools: Tools): Promise<void>;

  /**
   * Runs guest code (sections 4.3, 4 and 7.2). Legal in `READY`, and with `runConcurrency: "queue"` also in `RUNNING`.
   *
   * Rejects with any code of {@link ExecutorErrorCode} but those of `init()` and `cleanup()`; with a `TypeError` if
   * `code` is not a string or an option has the wrong type.
   */
  run(code: string, options?: RunOptions): Promise<CodeOutput>;

  /**
   * Releases the isolate (section 4.3, 5) in any state; the state is `DEAD` then. Calls that are pending fail with
   * `ERR_INVALID_STATE`. It never waits for guest code.
   *
   * Rejects with `ERR_CLEANUP_FAILED`, after which the executor is usable all the same.
   */
  cleanup(): Promise<void>;

  /** `cleanup()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Checks code without running it (section 6.1), on the calling thread.
 *
 * @returns all findings, in the order of their places
 * @throws `TypeError` or `RangeError` for wrong arguments, never for the code
 */
export function validateCode(code: string, options?: ExecutorOptions): Diagnostic[];

/**
 * Checks and transforms code without running it (section 6.1), on the calling thread.
 *
 * @throws `TypeError` or `RangeError` for wrong arguments, never for the code
 */
export function prepareProgram(code: string, options?: ExecutorOptions): PreparedProgram;
