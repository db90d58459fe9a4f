/**
 * `ses-executor/mastra`: a Mastra tool (`@mastra/core`, 1 or later) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import type { Tool } from '@mastra/core/tools' with { 'resolution-mode': 'import' };
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`: an object by name, or a list in which the `id` of a tool is
   * its name. A name that is not an identifier is changed: `list-files` becomes `list_files`.
   */
  tools:
    | Readonly<Record<string, Tool<any, any, any, any, any, any, any>>>
    | readonly Tool<any, any, any, any, any, any, any>[]
    | CodeTools;
}

/**
 * Creates a Mastra tool (`@mastra/core`) that takes JavaScript in which the other tools are functions.
 *
 * Tools with `requireApproval` fail in code without `approve`. A tool that code calls cannot `suspend`. The call fails
 * with a `SuspendError` that tells the model to call the tool directly. Pass such a tool to the agent directly too.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`; `Error` with `@mastra/core` 0, whose tools have a
 *   different call signature
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: { getWeather, getRates } });
 * const agent = new Agent({ id: 'analyst', name: 'analyst', instructions: '…', model, tools: { code } });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): Tool<{ code: string }, any, any, any, any, any, any>;
