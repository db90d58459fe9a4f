/**
 * `ses-executor/mastra`: a Mastra tool (`@mastra/core`, 1 or later) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import { toModelOutput } from '../../contract/ai-sdk-output';
import { needsApproval, refuseOtherMarks } from '../../contract/approval-marks';
import { requirePeer } from '../../contract/peer-dependency';
import { standardSchema } from '../../contract/standard-schema';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { succeededData } from '../code-tool/code-tool-error';
import { byName } from '../code-tool/definition';
import { withoutEnvelope } from '../code-tool/mcp-result';
import { executorIn, settingsOf } from '../code-tool/settings';
import { NestedCall, answerFrom, resumptionOf, suspended } from './suspension';
import type { Foreign } from '../../contract/foreign';
import type { Tool } from '@mastra/core/tools' with { 'resolution-mode': 'import' };
import type { CodeTools, CodeToolSettings } from '../code-tool/types';
import type { Resumed } from './suspension';

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
 * If `executor` is a `DurableSession`, a tool that code calls can `suspend`. The program waits, and the agent or
 * workflow is suspended. When it is resumed, the tool is called again with the `resumeData`, and the program continues
 * after the call, also in another process. A call that waits in another way, by `requireApproval`, `waitForAnswer()` or
 * `onToolCall`, suspends too.
 *
 * With other executors, tools with `requireApproval` fail in code without `approve`, and `suspend` fails with a
 * `SuspendError` that tells the model to call the tool directly. Pass such a tool to the agent directly too.
 *
 * Images, audio and PDF files that the code shows are parts of the tool result for the model, and `content` of the
 * result.
 *
 * A failure of the code is a failure of the tool: it throws a `CodeToolError` of `ses-executor/code-tool`. Each call
 * from code has its own `agent.toolCallId`. If `executor` is a function, it receives the context of the call.
 *
 * Results of MCP clients are unwrapped: code receives `structuredContent` if there is any, else the text, else the
 * content blocks. Text that is a JSON object or array is parsed. A result with `isError` is thrown in the code.
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
      const resumed: Resumed = new Map();
      const resumption = resumptionOf(toolContext);
      const result = await execute(code, {
        signal: toolContext?.abortSignal,
        context: { toolContext, resumed },
        // The program must not start again if an earlier answer has continued it to its end.
        ...(resumption && { answer: answerFrom(resumption, resumed), continues: true }),
      });
      if ('waiting' in result && (await suspended(toolContext, result.waiting))) return undefined;
      return succeededData(result);
    },
    // Mastra keeps parts as AI SDK 5 has them, for models of all versions.
    toModelOutput: (result: Foreign) => toModelOutput(result, false),
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

const MARKS = ['requireApproval', 'needsApproval'];

/** As in Mastra, a function that its MCP client has set decides in place of `requireApproval`. */
function marksOf({ needsApprovalFn }: Foreign) {
  return typeof needsApprovalFn === 'function' ? ['needsApprovalFn', 'needsApproval'] : MARKS;
}

/** @param tool a Mastra tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(tool: Foreign): Foreign {
  if (typeof tool?.id !== 'string' || typeof tool.execute !== 'function') return tool;
  refuseOtherMarks(`the tool ${tool.id}`, tool, MARKS);
  const { description, inputSchema, outputSchema } = tool;
  const callOf = ({ signal, toolCallId, context }: Foreign) =>
    new NestedCall(tool.id, toolCallId, { ...context.toolContext, abortSignal: signal }, context.resumed);
  return {
    description,
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    needsApproval: (_: unknown, context: Foreign) =>
      needsApproval(tool, marksOf(tool), () => [context.input, callOf(context).context]),
    // The tool parses its input itself.
    execute: async (checked: unknown, context: Foreign) => {
      const call = callOf(context);
      // Mastra does not check the input of a tool that it resumes.
      const result = thrown(await tool.execute(call.isResumed ? checked : context.input, call.context));
      call.throwIfSuspended();
      return withoutEnvelope(result, context.signal);
    },
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
