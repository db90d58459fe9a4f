/**
 * The executor of a smolagents-ts `CodeAgent`: what the agent calls, and nothing that it would have to know of.
 *
 * @packageDocumentation
 */

import { CodeOutput, ExecutorOptions, RunOptions, SESExecutor, Tools } from '../../../index.js';
import { ToolInput, ToolTypeName } from '../prompts/index.js';

/** A tool of smolagents-ts, as far as the executor needs it: any `BaseTool` is one. */
export interface SmolagentsTool {
  name: string;
  description?: string;
  inputs: Readonly<Record<string, ToolInput>>;
  output_type?: ToolTypeName;
  /** Called with one object that has a value for each input. */
  // `any`: tools declare the arguments that they expect.
  forward(args: any): unknown;
}

/**
 * A managed agent, as far as the executor needs it. Guest code calls it as `name(task, additional_args)`, or with one
 * object of both.
 */
export interface ManagedAgent {
  name: string;
  run(task: string, options: { additional_args?: Record<string, unknown>; reset: true }): unknown;
}

/** What can become a function of guest code. */
export type SmolagentsCallable = SmolagentsTool | ManagedAgent | ((...args: any[]) => unknown);

/** Tools by the name that guest code calls them by, with namespaces, as for `SESExecutor.sendTools`. */
export interface SmolagentsToolRecord {
  [name: string]: SmolagentsCallable | SmolagentsToolRecord;
}

/** Tools in a list, by their own names (`Host.readDoc` is in the namespace `Host`), or by name. */
export type SmolagentsTools =
  readonly (SmolagentsTool | ManagedAgent)[] | ReadonlyMap<string, SmolagentsCallable> | SmolagentsToolRecord;

/** Options of the executor; `autoInit` is on unless it is `false`. */
export interface SmolagentsExecutorOptions extends ExecutorOptions {
  /**
   * Tools that every isolate of this executor has. The agent itself sends `{}`, the tools whose source is Python, so its
   * JavaScript tools have to be given here. A name that is given here keeps its meaning whatever `sendTools` brings.
   */
  tools?: SmolagentsTools;
}

/**
 * An executor that a `CodeAgent` can be made with: the agent calls `sendVariables(state)`, `sendTools({}, pythonTools)`
 * and `run(code)` in each step.
 *
 * `init()` is not needed. After a run that left the executor `DIRTY`, such as a timeout, the next call makes a new
 * isolate with the tools of the options; what guest code had defined is lost. With `autoInit: false` both is up to the
 * caller, as with {@link SESExecutor}.
 *
 * @example
 * ```js
 * const agent = new CodeAgent({ model, tools, executor: new SmolagentsExecutor({ tools }) });
 * ```
 */
export class SmolagentsExecutor extends SESExecutor {
  /** @throws `TypeError` or `RangeError` as {@link SESExecutor}, and for what {@link toHostTools} refuses */
  constructor(options?: SmolagentsExecutorOptions);

  /**
   * Defines functions that guest code can call: functions as they are, tools and agents by {@link toHostTools}.
   *
   * Rejects as `SESExecutor.sendTools`, and with a `TypeError` with the code `ERR_PYTHON_TOOL` (and `tools`, the names)
   * if `pythonTools` has any: sources in Python cannot run here.
   */
  sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void>;

  /**
   * As `SESExecutor.run`. The enumerable fields of the output are `output`, `logs` and `is_final_answer`, those of
   * smolagents; `logEntries` and `stats` are there too.
   */
  run(code: string, options?: RunOptions): Promise<CodeOutput>;
}

/** `new SmolagentsExecutor(options)`. */
export function createSmolagentsExecutor(options?: SmolagentsExecutorOptions): SmolagentsExecutor;

/**
 * Tools as functions for `SESExecutor.sendTools`.
 *
 * A tool can be called with its arguments one by one, in the order of its inputs, or with one plain object that names
 * them: `search('x', 3)`, `search({ query: 'x', limit: 3 })`. If the first input may be an object itself, one object
 * counts as named arguments only if it has no other keys than names of inputs, and all those that are required:
 * of `save(record)` the call `save({ a: 1 })` gives the record, and so does `save({ record: { a: 1 } })`.
 *
 * Inputs that are left out get a copy of their `default`, or `null` if they are `nullable`. Guest code gets a `TypeError`
 * that names tool and argument for one that is missing, unknown or of another type; `forward` is not called then.
 *
 * @throws `TypeError` that names the path of what is no tool, and types of inputs that do not exist
 */
export function toHostTools(tools: SmolagentsTools): Tools;

/**
 * What the agent's next prompt says of a run, in the words of smolagents:
 * `Execution logs:\n…\nLast output from code snippet:\n…`, without the second part if the output is `undefined`.
 *
 * Strings are shown as they are, values that JSON can say as JSON with an indent of 2, others as `console.log` does.
 */
export function formatObservation(result: { output?: unknown; logs: string }): string;

/**
 * What the agent's next prompt says of a step that failed: logs, if there are any, the message, the place in the code or
 * what validation found, and what to do next. For errors of `run()`, and of `parseCodeBlobs` of `ses-executor/prompts`.
 */
export function formatErrorObservation(error: unknown): string;
