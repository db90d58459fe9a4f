/**
 * `ses-executor/mastra`: a tool of Mastra (`@mastra/core`, 1 or later) by which a model calls other tools from code.
 *
 * @packageDocumentation
 */

import type { Tool } from '@mastra/core/tools' with { 'resolution-mode': 'import' };
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * What code can call as `await name(input)`: by name, or a list, where the `id` of a tool is its name. A name that is no identifier
   * is changed: `list-files` is `list_files`.
   */
  tools:
    | Readonly<Record<string, Tool<any, any, any, any, any, any, any>>>
    | readonly Tool<any, any, any, any, any, any, any>[]
    | CodeTools;
}

/**
 * Makes a tool of Mastra (`@mastra/core`) that takes JavaScript, in which the other tools are functions.
 * Tools with `requireApproval` fail in code without `approve`. A tool cannot `suspend` when code calls it: the call fails with an error
 * (`SuspendError`) that tells the model to call the tool itself, so give the agent such a tool directly, too.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`; `Error` with `@mastra/core` 0, whose tools are called in another way
 *
 * @example
 * ```js
 * const agent = new Agent({ id: 'analyst', name: 'analyst', instructions: '…', model, tools: { code: createCodeTool({ tools: { getWeather, getRates } }) } });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): Tool<{ code: string }, any, any, any, any, any, any>;
