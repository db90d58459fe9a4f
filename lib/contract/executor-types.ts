// Types that all executors share.

import type { RunOptions } from './executor-options';
import type { Tools } from './tool-types';

/**
 * State of an executor (section 4.1).
 *
 * - `NEW`: created, not initialized.
 * - `INITIALIZING`: `init()` is in progress.
 * - `READY`: accepts variables, tools and runs.
 * - `RUNNING`: a run is in progress.
 * - `DIRTY`: a run timed out, was aborted or left an isolate that cannot be trusted. Call `cleanup()` and `init()`.
 * - `DEAD`: cleaned up. `init()` makes it `READY` again.
 */
export type ExecutorState = 'NEW' | 'INITIALIZING' | 'READY' | 'RUNNING' | 'DIRTY' | 'DEAD';

/**
 * Further states of a `DurableSession` of `ses-executor/durable`.
 *
 * - `WAITING`: a run has not ended, and no isolate works on it: it waits for answers to tool calls.
 * - `REPLAYING`: the session is being rebuilt from its journal.
 */
export type DurableState = 'WAITING' | 'REPLAYING';

/** A group of globals that guest code can have: {@link ExecutorOptions.globals}. */
export type GuestGlobal = 'timers' | 'crypto' | 'performance' | 'abort' | 'fetch';

/** Level of a console call. `debug` goes beyond the specification. */
export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

/** One console call of guest code (sections 3.1 and 7.3). */
export interface LogEntry {
  level: LogLevel;
  /** The text as `console` of Node.js formats it, without a line break at the end. */
  message: string;
  /** Time of the call, ISO 8601 in UTC. */
  ts: string;
}

/** Figures of one run. */
export interface RunStats {
  /** Milliseconds from the start of the run to its outcome. */
  durationMs: number;
  /**
   * Loop iterations that counted against `maxOperations`. If the run was ended from outside, this is a lower bound,
   * often 0.
   */
  operations: number;
  /** Calls of host tools. */
  toolCalls: number;
  /** Heap of the isolate after the run, in bytes. For Python, includes the memory of WebAssembly. */
  heapUsedBytes: number;
}

/** Result of a run (section 3.1). */
export interface CodeOutput {
  /**
   * The output of the code, as a structured clone. The first of these that applies:
   *
   * - the argument of `final_answer`
   * - the value of a top-level `return`
   * - the value of the last statement, as ECMA-262 defines it: of an expression, also within a last loop, `switch` or
   *   block
   * - the variable of a last declaration
   *
   * A promise is awaited. If it is only declared, only its tool calls are awaited.
   *
   * A value that cannot be cloned is replaced by the text that `util.inspect` returns, and a `URL` or `URLSearchParams`
   * by its string. A `Float16Array` becomes a `Float32Array` if this version of Node.js does not have that class. A
   * regular expression becomes an object `{ source, flags }` if parsing it may take long, or if Node.js may not support
   * it: if it has more than 1,000 characters (500 if some are beyond U+00FF), the flag `v`, `\p` with the flag `u`,
   * modifiers, or two groups with the same name.
   */
  output: unknown;
  /** Log messages of the run in the order of the calls, joined by `\n` (section 7.3). */
  logs: string;
  /** Whether guest code called `final_answer` (section 5.4). */
  is_final_answer: boolean;
  /** The same logs, one entry per console call. */
  logEntries: LogEntry[];
  stats: RunStats;
  /**
   * True for the first run after {@link ExecutorOptions.recover} has created a new isolate: definitions of earlier runs
   * and variables that were sent before are lost. Also true for the first run of a `PyodideExecutor` whose interpreter
   * replaces a lost one: names that earlier runs have bound are lost, but variables and tools were sent again. Absent
   * otherwise.
   */
  recovered?: true;
}

/** The interface of executors in smolagents-ts (section 3.2). */
export interface ICodeExecutor {
  init(): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the parameters that they expect
  sendTools(tools: Record<string, (...args: any[]) => unknown>): Promise<void>;
  run(code: string): Promise<CodeOutput>;
  cleanup(): Promise<void>;
}

/**
 * The interface of all executors of this package, which the adapters accept: `ses-executor/ai`, for example, runs its
 * code on any of them. {@link SESExecutor} documents the methods.
 */
export interface Executor extends ICodeExecutor {
  readonly state: ExecutorState | DurableState;
  sendTools(tools: Tools): Promise<void>;
  run(code: string, options?: RunOptions): Promise<CodeOutput>;
}

/** The fleet of {@link ExecutorOptions.remote}. */
export interface RemoteOptions {
  /**
   * Addresses of the brokers of one NATS cluster, as an array or separated by commas. They may contain user and
   * password, or a token: `nats://user:password@host:4222`. `tls://` requires TLS.
   */
  servers: string | readonly string[];
  /** Name of the workers' pool: letters, digits, `-` and `_`. Default `"default"`. */
  pool?: string | undefined;
  /** Path of a file with the credentials of NATS (a JWT and the seed of an NKey). Default none. */
  credentials?: string | undefined;
}

/** Where the isolate of a {@link SESExecutor} runs, and what confines it. */
export interface Isolation {
  /** The value of {@link ExecutorOptions.isolation}. */
  readonly mode: 'thread' | 'process' | 'remote';
  /** `"process"`: number of the worker process. Undefined while there is none. */
  readonly pid?: number | undefined;
  /** `"remote"`: name of the fleet's worker. Undefined until a worker has taken the session. */
  readonly worker?: string | undefined;
  /** `"remote"`: name of the worker's machine. */
  readonly node?: string | undefined;
  /**
   * `"process"` and `"remote"`: the parts of the operating system's sandbox that are in force. Undefined until the
   * worker has reported them.
   */
  readonly sandbox?: { readonly landlock: boolean; readonly seccomp: boolean } | undefined;
}
