// @ts-check
'use strict';

const { isPlainObject } = require('../../contract/describe');
const { isStandardSchema, isZod3, standardSchema } = require('../../contract/standard-schema');
const { requirePeer } = require('../../contract/peer-dependency');
const codeTool = require('../code-tool');
const { byName } = require('../code-tool/definition');
const { settingsOf } = require('../code-tool/settings');
const { stoppable } = require('../code-tool/stoppable-run');

/**
 * Makes a tool of LangChain by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, ...settings } = settingsOf(options);
  const { tool } = requirePeer('ses-executor/langchain', '@langchain/core', () => require('@langchain/core/tools'));
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(name, it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  return tool(
    async (/** @type {any} */ { code }, /** @type {any} */ config) => {
      const { text } = await stoppable(config?.signal, (signal, stop) =>
        execute(code, { signal, context: { config, stop } }),
      );
      return text;
    },
    // Wrong input is told with what is wrong.
    { name, description, schema: /** @type {any} */ (inputSchema), verboseParsingErrors: true },
  );
}

/**
 * @param {string} name
 * @param {any} tool a tool of LangChain, or what the neutral code tool takes
 * @returns {any}
 */
function definitionOf(name, tool) {
  if (typeof tool?.invoke !== 'function') return tool;
  const { description, schema } = tool;
  return {
    description,
    inputSchema: neutral(schema),
    // The tool itself parses its input.
    execute: async (/** @type {unknown} */ _value, /** @type {any} */ { input, signal, context: { config, stop } }) => {
      // With the call of the outer tool its message would be the result.
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

/**
 * @param {any} schema of a tool
 * @returns {any}
 */
function neutral(schema) {
  if (!isStandardSchema(schema)) return { ...schema };
  // Those of tools that take a text are, whatever the version of zod.
  return isZod3(schema) ? convertedByLangchain(schema) : schema;
}

/** @param {any} schema of zod 3 */
function convertedByLangchain(schema) {
  const { toJsonSchema } = require('@langchain/core/utils/json_schema');
  // Versions without it need `zod-to-json-schema` themselves.
  if (toJsonSchema === undefined) return schema;
  return standardSchema('zod', toJsonSchema(schema), schema['~standard'].validate);
}

/**
 * What code gets of what a tool gives: of a message its content.
 *
 * @param {string} name
 * @param {any} output
 * @throws {Error} what a message says that is an error; for a command, which only a graph can follow
 */
function outputOf(name, output) {
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

/** @param {any} output */
function isCommand(output) {
  return output?.lg_name === 'Command' && !isPlainObject(output);
}

/**
 * Whether it is no failure, but what LangGraph itself waits for: an interrupt, or a command for a graph around it.
 *
 * @param {any} thrown
 */
function isForGraph(thrown) {
  return thrown?.is_bubble_up === true;
}

module.exports = { createCodeTool };
