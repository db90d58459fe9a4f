/**
 * `ses-executor/anthropic`: a tool for the tool runner of Anthropic's SDK (`@anthropic-ai/sdk`) by which a model calls other tools from code.
 *
 * @packageDocumentation
 */

import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions extends CodeToolSettings {
  /** What code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is `list_files`. */
  tools: readonly BetaRunnableTool<any>[] | CodeTools;
}

/**
 * Makes a tool for the tool runner of Anthropic's SDK (`@anthropic-ai/sdk`) that takes JavaScript, in which the other tools are functions.
 * Failures of the code are tool results with `is_error`.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const message = await client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: [createCodeTool({ tools: [getWeather] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): BetaRunnableTool<{ code: string }>;
