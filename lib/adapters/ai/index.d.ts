/**
 * `ses-executor/ai`: a tool for the AI SDK by which a model calls other tools from code. Needs the packages `ai` and
 * `zod`.
 *
 * @packageDocumentation
 */

import type { Tool, ToolSet } from 'ai';
import type { Executor, ExecutorOptions } from '../../../index';
import type { RunFailure } from '../../contract/run-failure';

export type { RunFailure };

/** What {@link createCodeTool} is made with; without `executor` also the options of the executors that it makes. */
export interface CodeToolOptions extends ExecutorOptions {
  /**
   * The tools that code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is
   * `list_files`. Tools without `execute` and those that need approval are left out.
   */
  tools: ToolSet;
  /**
   * Where code runs. Variables live on from call to call then, and calls take turns; it is initialised when it is
   * needed, and cleaning it up is up to the caller. After a run that leaves it `DIRTY` it is made anew, without
   * variables that the caller had sent. Default: an executor of its own for each call.
   */
  executor?: Executor;
  /** Makes the description of the tool of the declarations of the others. Default: a text that says how to use it. */
  description?: (declarations: string) => string;
}

/** What a call of the tool gives. */
export type CodeToolResult =
  | {
      /** The output as JSON can hold it: a Map is an array of pairs, a BigInt a string, `undefined` is `null`. */
      output: unknown;
      /** Lines that the code has logged. */
      logs: string;
    }
  | { error: RunFailure; logs: string };

/**
 * Makes a tool that takes JavaScript, in which the other tools are functions; its description declares them, as their
 * schemas say.
 *
 * Their input is checked by their own schemas; what is wrong is an error in the code. They get the options of the call
 * of this tool, and an `abortSignal` that is also aborted when the run ends. Failures of the code are a result, with
 * what the model needs to correct it. When the `abortSignal` of the call is aborted, so is the run.
 *
 * @throws `TypeError` or `RangeError` for wrong options, names that cannot be told apart, reserved names, and schemas
 *   that are promises
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: { getWeather, getRates }, timeoutMs: 30_000 });
 * const { text } = await generateText({ model, tools: { code }, stopWhen: stepCountIs(5), prompt });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): Tool<{ code: string }, CodeToolResult>;
