// @ts-check
'use strict';

const { randomUUID } = require('node:crypto');

const { requirePeer } = require('../../contract/peer-dependency');
const codeTool = require('../code-tool');
const { WRONG_INPUT, isCodeInput } = require('../code-tool/code-input');
const { byName } = require('../code-tool/definition');
const { settingsOf } = require('../code-tool/settings');
const { stoppable } = require('../code-tool/stoppable-run');
const { Guardrails } = require('./guardrails');

/**
 * Makes a function tool of the OpenAI Agents SDK by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, ...settings } = settingsOf(options);
  const sdk = requirePeer('ses-executor/openai-agents', '@openai/agents', () => require('@openai/agents'));
  const guardrails = new Guardrails(sdk);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(name, it, guardrails)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  /** By the call that it has made: guardrails are told the agent, `execute` is not. */
  const agents = new WeakMap();
  return sdk.tool({
    name,
    description,
    parameters: inputSchema,
    strict: true,
    inputGuardrails: [
      {
        name: `agent of ${name}`,
        run: async (/** @type {any} */ { agent, toolCall }) => {
          agents.set(toolCall, agent);
          return { behavior: { type: 'allow' } };
        },
      },
    ],
    execute: async (/** @type {unknown} */ input, runContext, details) => {
      if (!isCodeInput(input)) return WRONG_INPUT;
      const { signal, toolCall } = details ?? {};
      const agent = toolCall && agents.get(toolCall);
      const { text } = await stoppable(signal, (own, stop) =>
        execute(input.code, { signal: own, context: { runContext, agent, stop } }),
      );
      return text;
    },
    errorFunction: (/** @type {unknown} */ _, /** @type {unknown} */ error) => {
      if (guardrails.isTripwire(error)) throw error;
      // Input that is no JSON.
      if (error instanceof sdk.ModelBehaviorError) return WRONG_INPUT;
      return 'An error occurred while running the tool. Please try again.';
    },
  });
}

/**
 * @param {string} name
 * @param {any} tool a function tool, or what the neutral code tool takes
 * @param {Guardrails} guardrails
 * @returns {any}
 */
function definitionOf(name, tool, guardrails) {
  if (typeof tool?.invoke !== 'function') return tool;
  guardrails.mustBeKnown(name, tool);
  const { description, parameters, needsApproval } = tool;
  return {
    description,
    // The tool itself answers wrong input as it answers errors, often with a text.
    inputSchema: parameters,
    needsApproval: async (
      /** @type {unknown} */ input,
      /** @type {{ context: import('./guardrails').RunOfCode }} */ { context },
    ) => {
      // Nobody is asked for a tool that is off.
      if (!(await isEnabled(tool, context))) throw new Error(`${name} is not enabled now: do without it`);
      return typeof needsApproval === 'function' ? needsApproval.call(tool, context.runContext, input) : needsApproval;
    },
    execute: async (/** @type {unknown} */ input, /** @type {any} */ { signal, context }) => {
      const text = JSON.stringify(input);
      const toolCall = { type: 'function_call', callId: randomUUID(), name: tool.name, arguments: text };
      return guardrails.around(tool, toolCall, context, () =>
        tool.invoke(context.runContext, text, { toolCall, signal }),
      );
    },
  };
}

/**
 * As `Agent` asks it.
 *
 * @param {any} tool
 * @param {import('./guardrails').RunOfCode} run
 */
async function isEnabled(tool, { runContext, agent }) {
  const { isEnabled: enabled = true } = tool;
  return typeof enabled === 'function' ? enabled.call(tool, runContext, agent) : enabled;
}

module.exports = { createCodeTool };
