/**
 * `ses-executor/ai`: a tool for the AI SDK, versions 5 to 7, that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import type { Tool, ToolSet } from 'ai';
import type { RunFailure } from '../../contract/run-failure';
import type { CodeFunctions, CodeToolSettings } from '../code-tool/api';

export type { RunFailure };

/** Whether a person must approve a call, as in `toolApproval` of AI SDK 7. `true` means `"user-approval"`. */
export type ToolApproval =
  ToolApprovalStatus | ((input: any, options: any) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>);

type ToolApprovalType = 'not-applicable' | 'approved' | 'denied' | 'user-approval';
type ToolApprovalStatus = undefined | boolean | ToolApprovalType | { type: ToolApprovalType; reason?: string };

/** Tools of the AI SDK, functions, and namespaces of functions. */
type CodeTools = Readonly<Record<string, ToolSet[string] | CodeFunctions>>;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions<Tools extends CodeTools = CodeTools> extends Omit<CodeToolSettings, 'name'> {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`. Functions and namespaces of functions are accepted too. Tools without `execute`, which run
   * elsewhere, are left out.
   *
   * Tools with `needsApproval` keep it. If code names such a tool, the call of the code tool itself needs approval. The
   * AI SDK requests this approval from version 6 on, and the person sees the code. Such a tool fails in the code if the
   * approved code does not name it. All such tools fail in a call that has not been approved. With `approve`, each call
   * is approved separately instead, with its input.
   *
   * In AI SDK 7, the tools receive their contexts from the context of this tool, by name. If this tool is `code`, pass
   * `toolsContext: { code: { getWeather: { apiKey } } }`; TypeScript needs `as never`. A context that `contextSchema`
   * rejects is an error in the code. If a description of a tool is a function, the description of this tool is a
   * function too.
   */
  tools: Tools;
  /**
   * Same as `toolApproval` of `generateText` in AI SDK 7, by the name of the tool. It takes precedence over
   * `needsApproval`. Unknown names are rejected. Functions receive `toolContext`. Reading `runtimeContext`, which the
   * AI SDK passes to no tool, is an error in the code.
   */
  toolApproval?: { readonly [Name in keyof Tools]?: ToolApproval } | undefined;
}

/** The result of a call of the tool. */
export type CodeToolResult =
  | {
      /**
       * The output, if JSON can represent it completely and briefly. Otherwise the string that `util.inspect` returns,
       * shortened if it is long.
       */
      output: unknown;
      /** The lines that the code logged. */
      logs: string;
      /**
       * States that the values of earlier runs are lost, if no earlier result has stated it. The hint of an `error`
       * states it too.
       */
      note?: string;
    }
  | { error: RunFailure; logs: string };

/**
 * Creates a tool that takes JavaScript in which the other tools are functions. The tool's description declares them
 * according to their schemas.
 *
 * The schemas of the tools check their input. Invalid input is an error in the code. The tools receive the options of
 * the call of this tool, with an `abortSignal` that is also aborted when the run ends. A failure of the code is a
 * result with the information that the model needs to correct the code. Aborting the `abortSignal` of the call ends the
 * run.
 *
 * @throws `TypeError` or `RangeError` for wrong options, ambiguous names, reserved names, and schemas that are
 *   promises
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
