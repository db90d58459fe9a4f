import { randomUUID } from 'node:crypto';

import { requirePeer } from '../../contract/peer-dependency';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { byName } from '../code-tool/definition';
import { settingsOf } from '../code-tool/settings';
import { stoppable } from '../code-tool/stoppable-run';
import { Guardrails } from './guardrails';
import type { CodeToolOptions } from './api';
import type { RunOfCode } from './guardrails';

/**
 * Creates a function tool of the OpenAI Agents SDK that lets a model call other tools from code. Documented in
 * `api.d.ts`.
 */
export function createCodeTool(options: CodeToolOptions): any {
  const { tools, ...settings } = settingsOf(options);
  const sdk = requirePeer('ses-executor/openai-agents', '@openai/agents', () => require('@openai/agents'));
  const guardrails = new Guardrails(sdk);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(name, it, guardrails)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  /** Agents by call. Guardrails receive the agent, but `execute` does not. */
  const agents = new WeakMap();
  return sdk.tool({
    name,
    description,
    parameters: inputSchema,
    strict: true,
    inputGuardrails: [
      {
        name: `agent of ${name}`,
        run: async ({ agent, toolCall }: any) => {
          agents.set(toolCall, agent);
          return { behavior: { type: 'allow' } };
        },
      },
    ],
    execute: async (input: unknown, runContext: any, details: any) => {
      if (!isCodeInput(input)) return WRONG_INPUT;
      const { signal, toolCall } = details ?? {};
      const agent = toolCall && agents.get(toolCall);
      const { text } = await stoppable(signal, (own, stop) =>
        execute(input.code, { signal: own, context: { runContext, agent, stop } }),
      );
      return text;
    },
    errorFunction: (_: unknown, error: unknown) => {
      if (guardrails.isTripwire(error)) throw error;
      // The input is not JSON.
      if (error instanceof sdk.ModelBehaviorError) return WRONG_INPUT;
      return 'An error occurred while running the tool. Please try again.';
    },
  });
}

/** @param tool a function tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(name: string, tool: any, guardrails: Guardrails): any {
  if (typeof tool?.invoke !== 'function') return tool;
  guardrails.mustBeKnown(name, tool);
  const { description, parameters, needsApproval } = tool;
  return {
    description,
    // The tool itself handles wrong input like its errors, often by returning a string.
    inputSchema: parameters,
    needsApproval: async (input: unknown, { context }: { context: RunOfCode }) => {
      // Approval is not requested for a disabled tool.
      if (!(await isEnabled(tool, context))) throw new Error(`${name} is not enabled now: do without it`);
      return typeof needsApproval === 'function' ? needsApproval.call(tool, context.runContext, input) : needsApproval;
    },
    execute: async (input: unknown, { signal, context }: any) => {
      const text = JSON.stringify(input);
      const toolCall = { type: 'function_call', callId: randomUUID(), name: tool.name, arguments: text };
      return guardrails.around(tool, toolCall, context, () =>
        tool.invoke(context.runContext, text, { toolCall, signal }),
      );
    },
  };
}

/** Evaluates `isEnabled` as `Agent` does. */
async function isEnabled(tool: any, { runContext, agent }: RunOfCode) {
  const { isEnabled: enabled = true } = tool;
  return typeof enabled === 'function' ? enabled.call(tool, runContext, agent) : enabled;
}
