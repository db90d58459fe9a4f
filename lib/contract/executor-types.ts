// What all executors have in common.

import type { RunOptions } from './executor-options';
import type { Tools } from './tool-types';

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
  /** Loop iterations that counted against `maxOperations`. Of a run that was ended from outside: at least so many, often 0. */
  operations: number;
  /** Calls of host tools. */
  toolCalls: number;
  /** Heap of the isolate after the run, in bytes; of Python the memory of WebAssembly, too. */
  heapUsedBytes: number;
}

/** What a run gives (section 3.1). */
export interface CodeOutput {
  /**
   * The argument of `final_answer`; else what a top-level `return` gives, or the value of the last statement as ECMA-262
   * has it (an expression, also in a last loop, `switch` or block), or the variable of a last declaration. A promise is
   * awaited, unless it is only declared: then only its tool calls are waited for. A structured clone; what cannot be cloned is the text that `util.inspect` gives,
   * and a `URL` or `URLSearchParams` its own. A
   * `Float16Array` is a `Float32Array` where Node.js does not have that class. A regular expression that takes more than a moment
   * to parse, or that Node.js may not know, is an object `{ source, flags }`: one of more than 1,000 characters, or 500
   * where some are beyond U+00FF, with the flag `v`, with `\p` and the flag `u`, with modifiers, or with two groups of one name.
   */
  output: unknown;
  /** Log messages of the run in the order of the calls, joined by `\n` (section 7.3). */
  logs: string;
  /** Whether guest code called `final_answer` (section 5.4). */
  is_final_answer: boolean;
  /** The same logs, call by call. */
  logEntries: LogEntry[];
  stats: RunStats;
  /**
   * True of the first run after {@link ExecutorOptions.recover} has made a new isolate: what earlier runs have defined, and
   * variables that were sent before, are gone. Also true of the first run of a `PyodideExecutor` whose interpreter took the
   * place of a lost one: names that earlier runs have bound are gone, and what was sent is there again. Absent otherwise.
   */
  recovered?: true;
}

/** The executor's interface of smolagents-ts (section 3.2). */
export interface ICodeExecutor {
  init(): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the parameters that they expect
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

/** Where the isolate of a {@link SESExecutor} lives, and what holds it there. */
export interface Isolation {
  /** As {@link ExecutorOptions.isolation} says. */
  readonly mode: 'thread' | 'process';
  /** `"process"`: number of the worker process; undefined as long as there is none. */
  readonly pid?: number | undefined;
  /** `"process"`: which parts of the operating system's sandbox are in force; undefined until the worker has said so. */
  readonly sandbox?: { readonly landlock: boolean; readonly seccomp: boolean } | undefined;
}
