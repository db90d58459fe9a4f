/**
 * `ses-executor/anthropic`: a tool that lets a model call other tools from code, for the tool runner of Anthropic's SDK
 * (`@anthropic-ai/sdk`).
 *
 * @packageDocumentation
 */

import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  tools: readonly BetaRunnableTool<any>[] | CodeTools;
}

/**
 * Creates a tool that takes JavaScript in which the other tools are functions, for the tool runner of Anthropic's SDK
 * (`@anthropic-ai/sdk`). Failures of the code are tool results with `is_error`.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: [getWeather] });
 * const message = await client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: [code] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): BetaRunnableTool<{ code: string }>;
