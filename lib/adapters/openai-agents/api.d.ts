/**
 * `ses-executor/openai-agents`: a function tool of the OpenAI Agents SDK (`@openai/agents`) by which a model calls other tools from code.
 *
 * @packageDocumentation
 */

import type { FunctionTool } from '@openai/agents';
import type { CodeTools, CodeToolSettings } from '../code-tool/api';

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions extends CodeToolSettings {
  /** What code can call as `await name(input)`. A name that is no identifier is changed: `list-files` is `list_files`. */
  tools: readonly FunctionTool<any, any, any>[] | Readonly<Record<string, FunctionTool<any, any, any>>> | CodeTools;
}

/**
 * Makes a function tool of the OpenAI Agents SDK (`@openai/agents`) that takes JavaScript, in which the other tools are functions.
 * Tools that need approval fail in code without `approve`. Wrong input, as `parameters` say, is an error in code. A tool that answers
 * its own errors, as `tool()` makes them by default, gives code that answer; with `errorFunction: null` code gets the error.
 *
 * All tools are declared; `isEnabled` is asked at each call, and a tool that is not enabled fails in code. `inputGuardrails` and
 * `outputGuardrails` are run as the SDK runs them, each call of code with a `callId` of its own: what they reject is an error in code
 * (`GuardrailError`, with their message), and what they throw (`throwException`) ends the code and the run of the agent.
 * `toolInputGuardrailResults` of a run also has the guardrail by which this tool knows the agent: outside of a run, `agent` is undefined.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`; `Error` for tools with guardrails if the installed SDK does not export
 *   what runs them
 *
 * @example
 * ```js
 * const agent = new Agent({ name: 'analyst', instructions: '…', tools: [createCodeTool({ tools: [getWeather, getRates] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): FunctionTool<any, any, string>;
