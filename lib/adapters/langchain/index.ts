/**
 * `ses-executor/langchain`: a LangChain tool (`@langchain/core`) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import { isPlainObject } from '../../contract/describe';
import { isStandardSchema, isZod3, standardSchema } from '../../contract/standard-schema';
import { requirePeer } from '../../contract/peer-dependency';
import codeTool = require('../code-tool');
import { byName } from '../code-tool/definition';
import { settingsOf } from '../code-tool/settings';
import { stoppable } from '../code-tool/stoppable-run';
import type { Foreign } from '../../contract/foreign';
import type { StructuredToolInterface as ImportedTool } from '@langchain/core/tools' with {
  'resolution-mode': 'import',
};
import type { StructuredToolInterface as RequiredTool } from '@langchain/core/tools' with {
  'resolution-mode': 'require',
};
import type { CodeTools, CodeToolSettings } from '../code-tool/types';

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
export function createCodeTool(options: CodeToolOptions): ImportedTool & RequiredTool {
  const { tools, ...settings } = settingsOf(options);
  const { tool } = requirePeer('ses-executor/langchain', '@langchain/core', () => require('@langchain/core/tools'));
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(name, it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  return tool(
    async ({ code }: Foreign, config: Foreign) => {
      const { text } = await stoppable(config?.signal, (signal, stop) =>
        execute(code, { signal, context: { config, stop } }),
      );
      return text;
    },
    // Errors for wrong input include the reason.
    { name, description, schema: inputSchema as Foreign, verboseParsingErrors: true },
  );
}

/** @param tool a LangChain tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(name: string, tool: Foreign): Foreign {
  if (typeof tool?.invoke !== 'function') return tool;
  const { description, schema } = tool;
  return {
    description,
    inputSchema: neutral(schema),
    // The tool parses its input itself.
    execute: async (_value: unknown, { input, signal, context: { config, stop } }: Foreign) => {
      // With the call of the outer tool, the result would be that call's message.
      const { toolCall: _, ...own } = config ?? {};
      try {
        return outputOf(name, await tool.invoke(input, { ...own, signal }));
      } catch (thrown) {
        if (isForGraph(thrown)) stop(thrown);
        throw thrown;
      }
    },
  };
}

/** @param schema the schema of a tool */
function neutral(schema: Foreign): Foreign {
  if (!isStandardSchema(schema)) return { ...schema };
  // Tools that take a string have a zod 3 schema in every version of zod.
  return isZod3(schema) ? convertedByLangchain(schema) : schema;
}

/** @param schema a schema of zod 3 */
function convertedByLangchain(schema: Foreign) {
  const { toJsonSchema } = require('@langchain/core/utils/json_schema');
  // LangChain versions without this function need `zod-to-json-schema` themselves.
  if (toJsonSchema === undefined) return schema;
  return standardSchema('zod', toJsonSchema(schema), schema['~standard'].validate);
}

/**
 * The value that code receives for the result of a tool. For a message, it is the content.
 *
 * @throws {Error} with the content of an error message, or for a command, which only a graph can execute
 */
function outputOf(name: string, output: Foreign) {
  if (isCommand(output) || (Array.isArray(output) && output.some(isCommand))) {
    throw Object.assign(
      new Error(`${name} gives a command to the graph, which does not get it from code: call the tool itself instead`),
      { name: 'CommandError' },
    );
  }
  if (output?.lc_direct_tool_output !== true) return output;
  const { content, status } = output;
  if (status === 'error') throw new Error(typeof content === 'string' ? content : JSON.stringify(content));
  return content;
}

function isCommand(output: Foreign) {
  return output?.lg_name === 'Command' && !isPlainObject(output);
}

/**
 * Whether a thrown value is not a failure but a signal that LangGraph handles: an interrupt, or a command for a parent
 * graph.
 */
function isForGraph(thrown: Foreign) {
  return thrown?.is_bubble_up === true;
}
