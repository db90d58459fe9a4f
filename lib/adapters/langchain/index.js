// @ts-check
'use strict';

const { isStandardSchema } = require('../../contract/standard-schema');
const { objectOf } = require('../../contract/options');
const { requirePeer } = require('../../contract/peer');
const codeTool = require('../code-tool');
const { byName } = require('../code-tool/definition');
const { stoppable } = require('../code-tool/stoppable');

/**
 * Makes a tool of LangChain by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, ...settings } = objectOf(options, 'options');
  const { tool } = requirePeer('ses-executor/langchain', '@langchain/core', () => require('@langchain/core/tools'));
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
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
    { name, description, schema: /** @type {any} */ (inputSchema) },
  );
}

/**
 * @param {any} tool a tool of LangChain, or what the neutral code tool takes
 * @returns {any}
 */
function definitionOf(tool) {
  if (typeof tool?.invoke !== 'function') return tool;
  const { description, schema } = tool;
  return {
    description,
    inputSchema: isStandardSchema(schema) ? schema : { ...schema },
    // The tool itself parses its input.
    execute: async (/** @type {unknown} */ _value, /** @type {any} */ { input, signal, context: { config, stop } }) => {
      // With the call of the outer tool its message would be the result.
      const { toolCall: _, ...own } = config ?? {};
      try {
        return await tool.invoke(input, { ...own, signal });
      } catch (thrown) {
        if (isForGraph(thrown)) stop(thrown);
        throw thrown;
      }
    },
  };
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
