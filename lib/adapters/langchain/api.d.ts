/**
 * `ses-executor/langchain`: a LangChain tool (`@langchain/core`) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import type { StructuredToolInterface as ImportedTool } from '@langchain/core/tools' with {
  'resolution-mode': 'import',
};
import type { StructuredToolInterface as RequiredTool } from '@langchain/core/tools' with {
  'resolution-mode': 'require',
};
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** A tool in either module format. LangChain has separate, incompatible declarations for each format. */
type LangchainTool = ImportedTool | RequiredTool;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  tools: readonly LangchainTool[] | Readonly<Record<string, LangchainTool>> | CodeTools;
}

/**
 * Creates a LangChain tool (`@langchain/core`) that takes JavaScript in which the other tools are functions. The tools
 * receive the configuration of the call, with a `signal` that is also aborted when the run ends.
 *
 * An `interrupt()` of LangGraph in a tool ends the code, even if the code catches it, and interrupts the graph. After
 * the answer, the code runs again from its beginning, as a node does.
 *
 * If a tool returns a `ToolMessage`, code receives its `content`. With `status: 'error'`, the content is thrown. A
 * `Command` from code does not reach the graph. The call fails with a `CommandError` that tells the model to call the
 * tool directly. Pass such a tool to the agent directly too. Tools that take a string take `{ input }`.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const agent = createAgent({ model, tools: [createCodeTool({ tools: [getWeather, getRates] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): ImportedTool & RequiredTool;
