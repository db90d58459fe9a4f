/**
 * `ses-executor/openai-agents`: a function tool of the OpenAI Agents SDK (`@openai/agents`) that lets a model call
 * other tools from code.
 *
 * @packageDocumentation
 */

import { randomUUID } from 'node:crypto';

import { requirePeer } from '../../contract/peer-dependency';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { byName } from '../code-tool/definition';
import { settingsOf } from '../code-tool/settings';
import { stoppable } from '../code-tool/stoppable-run';
import { Guardrails } from './guardrails';
import type { Foreign } from '../../contract/foreign';
import type { FunctionTool } from '@openai/agents';
import type { CodeTools, CodeToolSettings } from '../code-tool/types';
import type { RunOfCode } from './guardrails';

/** A function tool, whatever its context and schema. `any`, because it both takes and returns them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as said
type AnyTool<Result = any> = FunctionTool<any, any, Result>;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  tools: readonly AnyTool[] | Readonly<Record<string, AnyTool>> | CodeTools;
}

/**
 * Creates a function tool of the OpenAI Agents SDK (`@openai/agents`) that takes JavaScript in which the other tools
 * are functions.
 *
 * Tools that need approval fail in code without `approve`. Input that `parameters` reject is an error in code. By
 * default, a tool created with `tool()` answers its own errors, and code receives the answer. With `errorFunction:
 * null`, code receives the error.
 *
 * All tools are declared. `isEnabled` is checked at each call, and a disabled tool fails in code. `inputGuardrails` and
 * `outputGuardrails` run as in the SDK. Each call from code has its own `callId`. A rejection by a guardrail is a
 * `GuardrailError` in code, with the guardrail's message. An error thrown by a guardrail (`throwException`) ends the
 * code and the run of the agent. `toolInputGuardrailResults` of a run also contains the guardrail by which this tool
 * learns the agent. Outside of a run, `agent` is undefined.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`; `Error` for tools with guardrails if the installed SDK
 *   does not export its guardrail runners
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: [getWeather, getRates] });
 * const agent = new Agent({ name: 'analyst', instructions: '…', tools: [code] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): AnyTool<string> {
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
        run: async ({ agent, toolCall }: Foreign) => {
          agents.set(toolCall, agent);
          return { behavior: { type: 'allow' } };
        },
      },
    ],
    execute: async (input: unknown, runContext: Foreign, details: Foreign) => {
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
function definitionOf(name: string, tool: Foreign, guardrails: Guardrails): Foreign {
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
    execute: async (input: unknown, { signal, context }: Foreign) => {
      const text = JSON.stringify(input);
      const toolCall = { type: 'function_call', callId: randomUUID(), name: tool.name, arguments: text };
      return guardrails.around(tool, toolCall, context, () =>
        tool.invoke(context.runContext, text, { toolCall, signal }),
      );
    },
  };
}

/** Evaluates `isEnabled` as `Agent` does. */
async function isEnabled(tool: Foreign, { runContext, agent }: RunOfCode) {
  const { isEnabled: enabled = true } = tool;
  return typeof enabled === 'function' ? enabled.call(tool, runContext, agent) : enabled;
}
