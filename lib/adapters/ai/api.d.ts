/**
 * `ses-executor/ai`: a tool for the AI SDK, versions 5 to 7, by which a model calls other tools from code.
 *
 * @packageDocumentation
 */

import type { Tool, ToolSet } from 'ai';
import type { RunFailure } from '../../contract/run-failure';
import type { CodeFunctions, CodeToolSettings } from '../code-tool/api';

export type { RunFailure };

/** Whether a person has to approve a call, as in `toolApproval` of AI SDK 7; `true` is `"user-approval"`. */
export type ToolApproval =
  ToolApprovalStatus | ((input: any, options: any) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>);

type ToolApprovalType = 'not-applicable' | 'approved' | 'denied' | 'user-approval';
type ToolApprovalStatus = undefined | boolean | ToolApprovalType | { type: ToolApprovalType; reason?: string };

/** Tools of the AI SDK, functions, and namespaces of functions. */
type CodeTools = Readonly<Record<string, ToolSet[string] | CodeFunctions>>;

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions<Tools extends CodeTools = CodeTools> extends Omit<CodeToolSettings, 'name'> {
  /**
   * The tools that code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is
   * `list_files`. Functions and namespaces of such are taken, too. Tools without `execute`, which run elsewhere, are left out.
   *
   * Tools with `needsApproval` keep it: code that names one of them is a call that needs approval itself, which the AI SDK asks
   * for, from version 6 on; the person sees the code. Tools that the approved code does not name, and all of them in a call that
   * nobody has approved, fail in the code. With `approve` each call is asked for instead, with its input.
   *
   * In AI SDK 7 they get their contexts from that of this tool, by their names: `toolsContext: { code: { getWeather: { apiKey } } }` where
   * this tool is `code`, for TypeScript `as never`. What `contextSchema` does not take is an error in the code; descriptions
   * that are functions make that of this tool one.
   */
  tools: Tools;
  /**
   * As `toolApproval` of `generateText` in AI SDK 7, by the name of the tool; takes precedence over `needsApproval`. Names of other
   * tools are refused. Functions get `toolContext`; to read `runtimeContext`, which the AI SDK gives no tool, is an error in the code.
   */
  toolApproval?: { readonly [Name in keyof Tools]?: ToolApproval } | undefined;
}

/** What a call of the tool gives. */
export type CodeToolResult =
  | {
      /** The output, if JSON says it wholly and briefly; else the text that `util.inspect` gives, cut if it is long. */
      output: unknown;
      /** Lines that the code has logged. */
      logs: string;
      /** Says that what earlier runs have left is gone, if no earlier result has; the hint of an `error` says it, too. */
      note?: string;
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
export function createCodeTool<Tools extends CodeTools>(
  options: CodeToolOptions<Tools>,
): Tool<{ code: string }, CodeToolResult>;
