/**
 * `ses-executor/code-tool`: a tool that lets a model call other tools from code, for any framework.
 *
 * `ses-executor/ai`, `/openai-agents`, `/langchain`, `/mastra` and `/anthropic` wrap it as a tool of their framework.
 *
 * @packageDocumentation
 */

import { makeCodeTool } from './code-tool';
import { CodeToolError } from './code-tool-error';
import type { RunFailure } from '../../contract/run-failure';
import type { StandardSchema } from '../prompts/tool-definition';
import type {
  ApprovalRequest,
  Approve,
  CallContext,
  CallOptions,
  CodeFunctions,
  CodeTool,
  CodeToolDefinition,
  CodeToolOptions,
  CodeToolResult,
  CodeToolSettings,
  CodeTools,
} from './types';

/**
 * Creates a tool that takes JavaScript in which the other tools are functions. The tool's description declares them
 * according to their schemas.
 *
 * @throws `TypeError` or `RangeError` for wrong options, unknown keys of tools, ambiguous names, reserved names, and
 *   schemas that have no JSON Schema form
 *
 * @example
 * ```js
 * const tool = createCodeTool({
 *   tools: {
 *     getWeather: {
 *       description: 'The weather.',
 *       inputSchema: z.object({ city: z.string() }),
 *       execute: ({ city }) => weather(city),
 *     },
 *     now: () => new Date().toISOString(),
 *   },
 * });
 * const { text } = await tool.execute('await getWeather({ city: "Oslo" })');
 * ```
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each host has its own context
export function createCodeTool<Context = any>(options: CodeToolOptions<Context>): CodeTool<Context> {
  return makeCodeTool(options).tool;
}

export { CodeToolError };

export type {
  ApprovalRequest,
  Approve,
  CallContext,
  CallOptions,
  CodeFunctions,
  CodeTool,
  CodeToolDefinition,
  CodeToolOptions,
  CodeToolResult,
  CodeToolSettings,
  CodeTools,
  RunFailure,
  StandardSchema,
};
