/**
 * `ses-executor/langchain`: a tool of LangChain (`@langchain/core`) by which a model calls other tools from code.
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

/** A tool as either kind of module sees it: LangChain has declarations of its own for each, which do not fit each other. */
type LangchainTool = ImportedTool | RequiredTool;

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions extends CodeToolSettings {
  /** What code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is `list_files`. */
  tools: readonly LangchainTool[] | Readonly<Record<string, LangchainTool>> | CodeTools;
}

/**
 * Makes a tool of LangChain (`@langchain/core`) that takes JavaScript, in which the other tools are functions.
 * The tools get the configuration of the call, with a `signal` that is also aborted when the run ends. An `interrupt()` of LangGraph in a
 * tool ends the code, whatever that catches, and interrupts the graph; with the answer the code runs again from its beginning, as
 * a node does.
 *
 * Of a `ToolMessage` that a tool gives, code gets the `content`; with `status: 'error'` it is thrown. A `Command` does not reach the graph
 * from code: the call fails with an error (`CommandError`) that tells the model to call the tool itself, so give the agent such
 * a tool directly, too. Tools that take a text take `{ input }`.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const agent = createAgent({ model, tools: [createCodeTool({ tools: [getWeather, getRates] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): ImportedTool & RequiredTool;
