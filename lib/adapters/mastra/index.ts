/**
 * `ses-executor/mastra`: a Mastra tool (`@mastra/core`, 1 or later) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import { requirePeer } from '../../contract/peer-dependency';
import { standardSchema } from '../../contract/standard-schema';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { succeededData } from '../code-tool/code-tool-error';
import { byName } from '../code-tool/definition';
import { withoutEnvelope } from '../code-tool/mcp-result';
import { executorIn, settingsOf } from '../code-tool/settings';
import type { Foreign } from '../../contract/foreign';
import type { Tool } from '@mastra/core/tools' with { 'resolution-mode': 'import' };
import type { CodeTools, CodeToolSettings } from '../code-tool/types';

export { SESCodeModeTransport } from './code-mode';
export type { CodeModeResult, CodeModeRun, CodeModeTransportOptions } from './code-mode';

/** A tool of Mastra, whatever its schemas. `any`, because the parameters of a tool are both taken and returned. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as said
type AnyTool<Input = any> = Tool<Input, any, any, any, any, any, any>;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`: an object by name, or a list in which the `id` of a tool is
   * its name. A name that is not an identifier is changed: `list-files` becomes `list_files`.
   */
  tools: Readonly<Record<string, AnyTool>> | readonly AnyTool[] | CodeTools;
}

/** Start of Mastra's message for invalid input. */
const OF_INPUT = /^Tool input validation failed/;

/**
 * Creates a Mastra tool (`@mastra/core`) that takes JavaScript in which the other tools are functions.
 *
 * Tools with `requireApproval` fail in code without `approve`. A tool that code calls cannot `suspend`. The call fails
 * with a `SuspendError` that tells the model to call the tool directly. Pass such a tool to the agent directly too.
 *
 * A failure of the code is a failure of the tool: it throws a `CodeToolError` of `ses-executor/code-tool`. Each call from
 * code has its own `agent.toolCallId`. If `executor` is a function, it receives the context of the call.
 *
 * Results of MCP clients are unwrapped: code receives `structuredContent`, otherwise the text, otherwise the blocks. Text
 * that is a JSON object or array becomes its value. A result with `isError` is thrown in the code.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`; `Error` with `@mastra/core` 0, whose tools have a
 *   different call signature
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: { getWeather, getRates } });
 * const agent = new Agent({ id: 'analyst', name: 'analyst', instructions: '…', model, tools: { code } });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): AnyTool<{ code: string }> {
  const { tools, executor, ...settings } = settingsOf(options);
  const { createTool } = requirePeer('ses-executor/mastra', '@mastra/core', loadTools);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    executor: executorIn(executor, ({ toolContext }) => toolContext),
    tools: Object.fromEntries(definitions),
  });
  return createTool({
    id: name,
    description,
    inputSchema: standardSchema('ses-executor', inputSchema, validateCode) as Foreign,
    execute: async ({ code }: Foreign, toolContext: Foreign) => {
      const run = { signal: toolContext?.abortSignal, context: { toolContext } };
      return succeededData(await execute(code, run));
    },
  });
}

/** @throws {Error} for a version whose tools have a different call signature */
function loadTools() {
  const { version } = require('@mastra/core/package.json');
  if (/^0\./.test(version)) {
    throw new Error(
      `ses-executor/mastra needs @mastra/core 1 or later, got ${version}; run: npm install @mastra/core@latest`,
    );
  }
  return require('@mastra/core/tools');
}

/** @param tool a Mastra tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(tool: Foreign): Foreign {
  if (typeof tool?.id !== 'string' || typeof tool.execute !== 'function') return tool;
  const { description, inputSchema, outputSchema, requireApproval } = tool;
  const contextOf = ({ signal, toolCallId, context }: Foreign) => ({
    ...ofNestedCall(tool.id, toolCallId, context.toolContext),
    abortSignal: signal,
  });
  return {
    description,
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(requireApproval !== undefined && {
      needsApproval: (_: unknown, context: Foreign) =>
        typeof requireApproval === 'function' ? requireApproval(context.input, contextOf(context)) : requireApproval,
    }),
    // The tool parses its input itself.
    execute: async (_: unknown, context: Foreign) => {
      const result = thrown(await tool.execute(context.input, contextOf(context)));
      return withoutEnvelope(result, context.signal);
    },
  };
}

/**
 * The context of a tool that code calls. It has the id of this call, and rejects suspension. The code cannot wait for
 * an answer that arrives in another call of the agent. It would continue without the answer, and run a second time with
 * it.
 */
function ofNestedCall(name: string, toolCallId: string, toolContext: Foreign) {
  const suspend = async () => {
    throw Object.assign(
      new Error(`${name} suspends the agent, which it cannot do when code calls it: call the tool itself instead`),
      { name: 'SuspendError' },
    );
  };
  const { agent, workflow } = Object(toolContext);
  const refused = { suspend, resumeData: undefined, suspendPayload: undefined };
  return {
    ...toolContext,
    ...refused,
    ...(agent && { agent: { ...agent, toolCallId, ...refused } }),
    ...(workflow && { workflow: { ...workflow, ...refused } }),
  };
}

/** Returns the result of a tool. Validation errors, which Mastra returns as a result, are thrown. */
function thrown(result: Foreign) {
  if (result?.error === true && typeof result.message === 'string' && 'validationErrors' in result) {
    const error = new Error(result.message);
    throw OF_INPUT.test(result.message) ? Object.assign(error, { name: 'InvalidToolInputError' }) : error;
  }
  return result;
}

/** Validates the tool's own input for Mastra. */
function validateCode(value: unknown) {
  return isCodeInput(value) ? { value: { code: value.code } } : { issues: [{ message: WRONG_INPUT }] };
}
