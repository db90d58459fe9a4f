/**
 * `ses-executor/langchain`: a tool of LangChain (`@langchain/core`) by which a model calls other tools from code.
 *
 * @packageDocumentation
 */

import type { DynamicStructuredTool, StructuredToolInterface } from '@langchain/core/tools';
import type { CodeTools, CodeToolSettings } from '../code-tool/index';

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions extends CodeToolSettings {
  /** What code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is `list_files`. */
  tools: readonly StructuredToolInterface[] | Readonly<Record<string, StructuredToolInterface>> | CodeTools;
}

/**
 * Makes a tool of LangChain (`@langchain/core`) that takes JavaScript, in which the other tools are functions.
 * The tools get the configuration of the call, with a `signal` that is also aborted when the run ends.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const agent = createAgent({ model, tools: [createCodeTool({ tools: [getWeather, getRates] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): DynamicStructuredTool;
