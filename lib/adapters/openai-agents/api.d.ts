/**
 * `ses-executor/openai-agents`: a function tool of the OpenAI Agents SDK (`@openai/agents`) that lets a model call
 * other tools from code.
 *
 * @packageDocumentation
 */

import type { FunctionTool } from '@openai/agents';
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  tools: readonly FunctionTool<any, any, any>[] | Readonly<Record<string, FunctionTool<any, any, any>>> | CodeTools;
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
export function createCodeTool(options: CodeToolOptions): FunctionTool<any, any, string>;
