/**
 * `ses-executor/code-tool`: a tool that lets a model call other tools from code, for any framework.
 *
 * `ses-executor/ai`, `/openai-agents`, `/langchain`, `/mastra` and `/anthropic` wrap it as a tool of their framework.
 *
 * @packageDocumentation
 */

import { makeCodeTool } from './code-tool';
import { CodeToolError } from './code-tool-error';
import { planProgram } from './plan';
import { renderPlan } from './render-plan';
import type { ContentBlock } from '../../contract/content';
import type { Plan, PlannedArgument, PlannedCall, PlannedTimes, PlannedTool, Unresolved } from '../../contract/plan';
import type { PlanOptions } from './plan';
import type { RunFailure } from '../../contract/run-failure';
import type { StandardSchema } from '../prompts/tool-definition';
import type {
  ApprovalRequest,
  Approve,
  ApprovePlan,
  ApprovePlanOption,
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

/**
 * Finds out which tools a program can call, without running it: how often, with which constant arguments, and which of
 * them only under a condition. The plan has every tool that the program may call.
 *
 * Takes any code. The calling thread waits: about 1 ms for 100 lines, and up to a second for 1 MiB.
 *
 * @throws `TypeError` or `RangeError` for wrong options, never for the code
 *
 * @example
 * ```js
 * const plan = planOf('await remove({ path: "/tmp/a" })', { tools, earlier: [] });
 * plan.tools[0]; // { name: 'remove', times: 'once', conditional: false, certain: true, calls: [{ line: 1, … }] }
 * ```
 */
export function planOf(code: string, options: PlanOptions): Plan {
  return planProgram(code, options);
}

export { CodeToolError, renderPlan };

export type {
  ApprovalRequest,
  Approve,
  ApprovePlan,
  ApprovePlanOption,
  CallContext,
  CallOptions,
  CodeFunctions,
  CodeTool,
  CodeToolDefinition,
  CodeToolOptions,
  CodeToolResult,
  CodeToolSettings,
  CodeTools,
  ContentBlock,
  Plan,
  PlanOptions,
  PlannedArgument,
  PlannedCall,
  PlannedTimes,
  PlannedTool,
  RunFailure,
  StandardSchema,
  Unresolved,
};
