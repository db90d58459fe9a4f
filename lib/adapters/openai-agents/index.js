// @ts-check
'use strict';

const { objectOf } = require('../../contract/options');
const { requirePeer } = require('../../contract/peer');
const codeTool = require('../code-tool');
const { byName } = require('../code-tool/definition');

/**
 * Makes a function tool of the OpenAI Agents SDK by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, ...settings } = objectOf(options, 'options');
  const { tool } = requirePeer('ses-executor/openai-agents', '@openai/agents', () => require('@openai/agents'));
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  return tool({
    name,
    description,
    parameters: inputSchema,
    strict: true,
    execute: async (/** @type {any} */ { code }, runContext, details) =>
      (await execute(code, { signal: details?.signal, context: { runContext } })).text,
  });
}

/**
 * @param {any} tool a function tool, or what the neutral code tool takes
 * @returns {any}
 */
function definitionOf(tool) {
  if (typeof tool?.invoke !== 'function') return tool;
  const { description, parameters, needsApproval } = tool;
  return {
    description,
    inputSchema: parameters,
    needsApproval:
      typeof needsApproval !== 'function'
        ? needsApproval
        : (/** @type {unknown} */ input, /** @type {any} */ { context }) =>
            needsApproval.call(tool, context.runContext, input),
    execute: (/** @type {unknown} */ input, /** @type {any} */ { signal, context }) =>
      tool.invoke(context.runContext, JSON.stringify(input), { signal }),
  };
}

module.exports = { createCodeTool };
