/**
 * `ses-executor/openai-agents`: a function tool of the OpenAI Agents SDK (`@openai/agents`) that lets a model call
 * other tools from code.
 *
 * @packageDocumentation
 */

import { needsApproval, refuseOtherMarks } from '../../contract/approval-marks';
import { requirePeer } from '../../contract/peer-dependency';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { CodeToolError, partsOfResult, succeeded } from '../code-tool/code-tool-error';
import { byName } from '../code-tool/definition';
import { PausedPrograms, recordedExecutor } from '../code-tool/paused-programs';
import { booleanOption, executorIn, settingsOf } from '../code-tool/settings';
import { stoppable } from '../code-tool/stoppable-run';
import { Guardrails } from './guardrails';
import { ToolCalls } from './tool-calls';
import type { Foreign } from '../../contract/foreign';
import type { ContentParts } from '../../contract/content';
import type { FunctionTool, ToolOutputFileContent, ToolOutputImage, ToolOutputText } from '@openai/agents';
import type { CodeTools, CodeToolSettings } from '../code-tool/types';
import type { CallOfTool } from '../code-tool/paused-programs';
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
  /**
   * With a `DurableSession` as `executor`: whether approval of a call of this tool approves the plan of its program,
   * which is all its calls as far as the code shows them. Calls that are not in the plan need approval again. Default
   * `false`: only the calls that the program waits for are approved.
   */
  approvesPlans?: boolean | undefined;
}

/**
 * Creates a function tool of the OpenAI Agents SDK (`@openai/agents`) that takes JavaScript in which the other tools
 * are functions.
 *
 * Tools that need approval fail in code without `approve`. With a `DurableSession` as `executor`, they interrupt the
 * run of the agent instead, and the program continues after the call when the run is resumed. Input that `parameters`
 * reject is an error in code. A tool that fails throws in code. By default, a tool created with `tool()` answers its
 * own errors with a fixed sentence, which is then the message. With `errorFunction: null`, code receives the error
 * itself.
 *
 * Images and PDF files that the code shows are parts of the tool's output.
 *
 * A failure of the code is an error of the tool in the SDK's trace, and the model receives its text. If `executor` is a
 * function, it receives the `RunContext`.
 *
 * Results of MCP servers are unwrapped: code receives `structuredContent` if there is any, else the text, else the
 * content blocks. Text that is a JSON object or array is parsed. A result with `isError` is thrown in the code. To see
 * `isError` in results with one block, this module wraps `callTool` of the SDK's MCP clients.
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
export function createCodeTool(options: CodeToolOptions): AnyTool {
  const { tools, executor, approvesPlans, ...settings }: Foreign = settingsOf(options);
  const sdk = requirePeer('ses-executor/openai-agents', '@openai/agents', () => require('@openai/agents'));
  const guardrails = new Guardrails(sdk);
  const calls = new ToolCalls(sdk);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [
    name,
    definitionOf(name, it, guardrails, calls),
  ]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    executor: executorIn(executor, ({ runContext }) => runContext),
    tools: Object.fromEntries(definitions),
  });
  const programs = new PausedPrograms(booleanOption('approvesPlans', approvesPlans));
  const run = (code: string, runContext: Foreign, { signal, agent, ...answers }: Foreign) =>
    stoppable(signal, (own, stop) => execute(code, { ...answers, signal: own, context: { runContext, agent, stop } }));
  const recordedIn = async (runContext: Foreign) =>
    settings.approve === undefined ? recordedExecutor(executor, runContext) : undefined;
  const callOf = (runContext: Foreign, callId: string | undefined): CallOfTool => {
    const decided = (id: string | undefined) => runContext?.isToolApproved?.({ toolName: name, callId: id });
    return {
      id: callId,
      isApproved: decided(callId) === true,
      refused: (requested) =>
        [...requested]
          .filter(([id]) => decided(id) === false)
          .map(([id, { code }]) => ({ code, reason: runContext.getRejectionMessage?.(name, id) })),
    };
  };
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
    needsApproval: async (runContext: Foreign, input: unknown, callId: string) => {
      const recorded = isCodeInput(input) ? await recordedIn(runContext) : undefined;
      if (recorded === undefined || !isCodeInput(input)) return false;
      return programs.mustAsk(recorded, input.code, callOf(runContext, callId), (code, answers) =>
        run(code, runContext, answers ?? {}),
      );
    },
    execute: async (input: unknown, runContext: Foreign, details: Foreign) => {
      if (!isCodeInput(input)) throw new CodeInputError(WRONG_INPUT);
      const { signal, toolCall } = details ?? {};
      const agent = toolCall && agents.get(toolCall);
      const recorded = await recordedIn(runContext);
      const runCode = (code: string, answers?: Foreign) => run(code, runContext, { ...answers, signal, agent });
      const result =
        recorded === undefined
          ? await runCode(input.code)
          : await programs.resultOf(recorded, input.code, callOf(runContext, toolCall?.callId), runCode);
      // The SDK reports a thrown error in its trace, and sends the result of `errorFunction` to the model.
      return partsOfResult(
        succeeded(result, ({ text }) => text),
        PARTS,
      );
    },
    errorFunction: (_: unknown, error: unknown) => {
      if (guardrails.isTripwire(error)) throw error;
      // The input is not JSON.
      if (error instanceof sdk.ModelBehaviorError || error instanceof CodeInputError) return WRONG_INPUT;
      if (error instanceof CodeToolError) {
        const { message: text, content } = error;
        return partsOfResult({ text, ...(content && { content }) }, PARTS);
      }
      return 'An error occurred while running the tool. Please try again.';
    },
  });
}

/** Parts of outputs in the SDK. Responses take no audio there. */
const PARTS: ContentParts<ToolOutputText | ToolOutputImage | ToolOutputFileContent> = {
  text: (text) => ({ type: 'text', text }),
  image: ({ data, mimeType }) => ({ type: 'image', image: `data:${mimeType};base64,${data}` }),
  pdf: ({ data, mimeType, name }) => ({ type: 'file', file: { data, mediaType: mimeType, filename: name } }),
};

/** The input is not an object with code. */
class CodeInputError extends TypeError {}

const MARKS = ['needsApproval'];

/** @param tool a function tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(name: string, tool: Foreign, guardrails: Guardrails, calls: ToolCalls): Foreign {
  if (typeof tool?.invoke !== 'function') return tool;
  guardrails.mustBeKnown(name, tool);
  refuseOtherMarks(`the tool ${name}`, tool, MARKS);
  const { description, parameters } = tool;
  return {
    description,
    // The tool itself handles wrong input like its errors, often by returning a string.
    inputSchema: parameters,
    needsApproval: async (input: unknown, { context }: { context: RunOfCode }) => {
      // Approval is not requested for a disabled tool.
      if (!(await isEnabled(tool, context))) throw new Error(`${name} is not enabled now: do without it`);
      return needsApproval(tool, MARKS, () => [context.runContext, input]);
    },
    execute: async (input: unknown, { signal, toolCallId, context }: Foreign) => {
      const text = JSON.stringify(input);
      const toolCall = { type: 'function_call', callId: toolCallId, name: tool.name, arguments: text };
      return guardrails.around(tool, toolCall, context, () =>
        calls.invoke(tool, context.runContext, text, { toolCall, signal }),
      );
    },
  };
}

/** Evaluates `isEnabled` as `Agent` does. */
async function isEnabled(tool: Foreign, { runContext, agent }: RunOfCode) {
  const { isEnabled: enabled = true } = tool;
  return typeof enabled === 'function' ? enabled.call(tool, runContext, agent) : enabled;
}
