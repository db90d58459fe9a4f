/**
 * `ses-executor/langchain`: a LangChain tool (`@langchain/core`) that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import { needsApproval, refuseOtherMarks } from '../../contract/approval-marks';
import { currentCall } from '../../contract/current-call';
import { isPlainObject } from '../../contract/describe';
import { checkOf, isStandardSchema, isZod3, standardSchema } from '../../contract/standard-schema';
import { requirePeer } from '../../contract/peer-dependency';
import { TASK } from '../../contract/task-programs';
import codeTool = require('../code-tool');
import { partsOfResult, succeeded } from '../code-tool/code-tool-error';
import { byName } from '../code-tool/definition';
import { isMcpBlock, mcpValue, withoutEnvelope } from '../code-tool/mcp-result';
import { executorIn, settingsOf } from '../code-tool/settings';
import { stoppable } from '../code-tool/stoppable-run';
import { AgentSessions, middlewareOf, middlewareOptions } from './middleware';
import { answerFromGraph, configOfCall, isInGraph, isInterrupt, programOf, waitingForGraph } from './interrupts';
import type { Foreign } from '../../contract/foreign';
import type { StructuredToolInterface as ImportedTool } from '@langchain/core/tools' with {
  'resolution-mode': 'import',
};
import type { StructuredToolInterface as RequiredTool } from '@langchain/core/tools' with {
  'resolution-mode': 'require',
};
import type { ContentParts } from '../../contract/content';
import type { McpResult } from '../code-tool/mcp-result';
import type { Executor } from '../../contract/executor-types';
import type { JournalKeys } from '../../durable';
import type { Checkpointer } from './checkpoint-store';
import type { ApprovableTool, CodeTools, CodeToolSettings } from '../code-tool/types';
import type { CodeMiddleware } from './middleware-types';

export { checkpointStore } from './checkpoint-store';
export type { Checkpointer } from './checkpoint-store';
export type { CodeMiddleware } from './middleware-types';

/** A tool in either module format. LangChain has separate, incompatible declarations for each format. */
type LangchainTool = (ImportedTool | RequiredTool) & ApprovableTool;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  tools: readonly LangchainTool[] | Readonly<Record<string, LangchainTool>> | CodeTools;
}

/** Options of {@link createCodeMiddleware}. */
export interface CodeMiddlewareOptions extends Omit<CodeToolOptions, 'executor'> {
  /**
   * How long variables and functions of programs live. Default `"thread"`.
   *
   * - `"thread"`: as long as the conversation. Without a `thread_id`, as `"turn"`.
   * - `"turn"`: until the agent has answered.
   * - `"call"`: for one program.
   */
  state?: 'thread' | 'turn' | 'call' | undefined;
  /**
   * Returns the executor of a new session, such as `(id) => DurableSession.open(id, …)`. The id is the `thread_id`. For
   * turns and calls, it is also followed by a dot and their own id. Default: a `SESExecutor` with the other options.
   */
  open?: ((id: string) => Executor | Promise<Executor>) | undefined;
  /**
   * Opens sessions that are durable: their journals are in this checkpointer, which can be that of the graph.
   * Interrupts pause programs, and another process can continue them. When a turn or a call has ended, its journal is
   * removed. Options of executors apply. Cannot be combined with `open`.
   */
  checkpointer?: Checkpointer | undefined;
  /** The keys of the journals. Required with `checkpointer`. */
  keys?: JournalKeys | undefined;
  /**
   * Called when a turn or a call has ended, and its executor is cleaned up. A journal of `open` can be removed then:
   * `(id) => store.remove(id)`.
   */
  onEnd?: ((id: string) => void | Promise<void>) | undefined;
  /**
   * How many sessions are kept at the same time, at most. Above that, the executor that was not used for the longest
   * time is cleaned up. Default 100.
   */
  maxSessions?: number | undefined;
}

/**
 * Creates a LangChain tool (`@langchain/core`) that takes JavaScript in which the other tools are functions. The tools
 * receive the configuration of the call, with a `signal` that is also aborted when the run ends.
 *
 * An `interrupt()` of LangGraph in a tool ends the code, even if the code catches it, and interrupts the graph. After
 * the answer, the code runs again from its beginning, as a node does. If `executor` is a `DurableSession`, the code
 * continues after the call instead, also in another process. A tool that waits in another way, by `waitForAnswer()`,
 * `needsApproval` or `onToolCall`, interrupts the graph with its payload too. With other executors, tools with
 * `needsApproval` fail in code without `approve`.
 *
 * If a tool returns a `ToolMessage`, code receives its `content`. With `status: 'error'`, the content is thrown. A
 * `Command` from code does not reach the graph. The call fails with a `CommandError` that tells the model to call the
 * tool directly. Pass such a tool to the agent directly too. Tools that take a string take `{ input }`.
 *
 * Images, audio and PDF files that the code shows are content blocks of the `ToolMessage`.
 *
 * A failure of the code is a `ToolMessage` with `status: 'error'`, whose `artifact` has `failure` and `logs`. Without a
 * tool call, `invoke` throws a `CodeToolError` of `ses-executor/code-tool`. If `executor` is a function, it receives
 * the configuration of the call.
 *
 * Results of MCP adapters become results of MCP again: code receives `structuredContent` if there is any, else the
 * text, else the content blocks. Text that is a JSON object or array is parsed.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const agent = createAgent({ model, tools: [createCodeTool({ tools: [getWeather, getRates] })] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): ImportedTool & RequiredTool {
  const { tools, executor, ...settings } = settingsOf(options);
  const { tool } = requirePeer('ses-executor/langchain', '@langchain/core', () => require('@langchain/core/tools'));
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(name, it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    executor: executorIn(executor, ({ config }) => config),
    tools: Object.fromEntries(definitions),
  });
  return tool(
    async ({ code }: Foreign, config: Foreign) => {
      const resumed: Map<string, unknown[]> = new Map();
      const task = isInGraph(config) ? programOf(config) : undefined;
      const result = await stoppable(config?.signal, (signal, stop) =>
        execute(code, {
          signal,
          context: { config, stop, resumed },
          ...(task && { [TASK]: task, answer: answerFromGraph(resumed, task) }),
        }),
      );
      const { toolCall } = config ?? {};
      if (toolCall?.id === undefined || !('error' in result)) return partsOfResult(succeeded(result), PARTS);
      // A thrown error would end an agent, or the agent would change its text.
      return failedMessage(name, toolCall.id, result);
    },
    // Errors for wrong input include the reason.
    { name, description, schema: inputSchema as Foreign, verboseParsingErrors: true },
  );
}

/**
 * Creates a middleware for `createAgent` of `langchain` and `createDeepAgent` of `deepagents`. It adds the code tool to
 * the agent, with a session for each thread, turn or call.
 *
 * With `checkpointer`, or if `open` returns a `DurableSession`, the session is released at the end of each turn and at
 * each interrupt, and opened again by the next call, also in another process. Other executors stay until their state
 * ends or `cleanup()` is called.
 *
 * Agents that have the same middleware, such as an agent and its subagents, share the sessions of a thread.
 *
 * @throws as {@link createCodeTool}
 *
 * @example
 * ```js
 * const code = createCodeMiddleware({ tools: [getWeather, getRates], state: 'turn' });
 * const agent = createDeepAgent({ model, middleware: [code] });
 * ```
 */
export function createCodeMiddleware(options: CodeMiddlewareOptions): CodeMiddleware {
  const { state, open, onEnd, maxSessions, toolOptions } = middlewareOptions(options);
  const sessions = new AgentSessions({ open, onEnd, maxSessions });
  const tool = createCodeTool({ ...toolOptions, executor: () => sessions.executor() } as Foreign);
  return middlewareOf(tool, state, sessions);
}

/** Blocks of messages, in the form that LangChain's adapters for MCP servers give them. */
const PARTS: ContentParts<Foreign> = {
  text: (text) => ({ type: 'text', text }),
  image: ({ data, mimeType }) => ({ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }),
  audio: ({ data, mimeType }) => ({ type: 'audio', source_type: 'base64', mime_type: mimeType, data }),
  pdf: ({ data, mimeType, name }) => ({
    type: 'file',
    source_type: 'base64',
    mime_type: mimeType,
    data,
    metadata: { filename: name },
  }),
};

/** The failure of a call that a model made. */
function failedMessage(name: string, id: string, result: Foreign) {
  const { ToolMessage } = require('@langchain/core/messages');
  const { error, logs } = result;
  const fields = {
    content: partsOfResult(result, PARTS),
    status: 'error',
    tool_call_id: id,
    name,
    artifact: { failure: error, logs },
  };
  return new ToolMessage(fields);
}

const MARKS = ['needsApproval'];

/** @param tool a LangChain tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(name: string, tool: Foreign): Foreign {
  if (typeof tool?.invoke !== 'function') return tool;
  refuseOtherMarks(`the tool ${name}`, tool, MARKS);
  const { description, schema } = tool;
  return {
    description,
    inputSchema: neutral(schema),
    needsApproval: (value: unknown, { signal, context: { config } }: Foreign) =>
      needsApproval(tool, MARKS, () => [value, { ...config, signal }]),
    execute: async (value: unknown, { input, signal, toolCallId, context: { config, stop, resumed } }: Foreign) => {
      // With the call of the outer tool, the result would be that call's message.
      const { toolCall: _, ...own } = configOfCall(config, resumed);
      const isOfMcp = isMcpTool(tool);
      const checked = parsesItself(tool, value) ? { tool, value: input } : { tool: unchecked(tool), value };
      // Only the message of a call has the data that an MCP server returned.
      const call = isOfMcp
        ? { type: 'tool_call', id: toolCallId, name: tool.name, args: checked.value }
        : checked.value;
      try {
        refuseToolCall(name, checked.value);
        const output = outputOf(name, await checked.tool.invoke(call, { ...own, signal }), isOfMcp);
        return await (isOfMcp ? mcpValue(output, signal) : withoutEnvelope(output, signal));
      } catch (thrown) {
        if (isInterrupt(thrown) && currentCall() !== undefined) throw waitingForGraph(thrown, resumed);
        if (isForGraph(thrown)) stop(thrown);
        throw thrown;
      }
    },
  };
}

/**
 * Whether the tool must parse its input again. A tool that takes a string reads it from an object. A tool that is not a
 * structured tool has no function that takes parsed input.
 */
function parsesItself(tool: Foreign, value: unknown) {
  return typeof value === 'string' || typeof tool._call !== 'function';
}

/**
 * The same tool for input that was checked. It receives exactly this input, and does not check it again without a
 * limit.
 */
function unchecked(tool: Foreign) {
  return Object.create(tool, { schema: { value: {} }, _call: { value: tool._call.bind(tool) } });
}

/** @throws {TypeError} because LangChain would pass on the `args` of such an input, which were not checked */
function refuseToolCall(name: string, value: Foreign) {
  if (value?.type !== 'tool_call') return;
  throw new TypeError(`${name} cannot take an input of the type "tool_call": LangChain treats it as a tool call`);
}

/** @param schema the schema of a tool */
function neutral(schema: Foreign): Foreign {
  if (!isStandardSchema(schema)) return { ...schema };
  // Tools that take a string have a zod 3 schema in every version of zod.
  return isZod3(schema) ? convertedByLangchain(schema) : schema;
}

/** @param schema a schema of zod 3 */
function convertedByLangchain(schema: Foreign) {
  const { toJsonSchema } = require('@langchain/core/utils/json_schema');
  // LangChain versions without this function need `zod-to-json-schema` themselves.
  if (toJsonSchema === undefined) return schema;
  return standardSchema('zod', toJsonSchema(schema), checkOf(schema));
}

/**
 * The value that code receives for the result of a tool. For a message, it is the content.
 *
 * @param isOfMcp whether to return a result of `tools/call`
 * @throws {Error} with the content of an error message, or for a command, which only a graph can execute
 */
function outputOf(name: string, output: Foreign, isOfMcp: boolean): Foreign {
  if (isCommand(output) || (Array.isArray(output) && output.some(isCommand))) {
    throw Object.assign(
      new Error(
        `${name} returns a command to the graph, which cannot receive it from code: call the tool directly instead`,
      ),
      { name: 'CommandError' },
    );
  }
  if (output?.lc_direct_tool_output !== true) return output;
  const { content, status, artifact } = output;
  if (status === 'error') throw new Error(typeof content === 'string' ? content : JSON.stringify(content));
  return isOfMcp ? mcpResultOf(content, Array.isArray(artifact) ? artifact : []) : content;
}

/** Whether LangChain's adapters for MCP servers made a tool. */
function isMcpTool({ responseFormat, metadata }: Foreign) {
  return responseFormat === 'content_and_artifact' && isPlainObject(metadata) && 'annotations' in metadata;
}

/** Restores the result of an MCP server from the parts that LangChain's adapters made of it. */
function mcpResultOf(content: unknown, artifacts: Foreign[]): McpResult {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Foreign[]);
  const data = artifacts.find(({ type }) => type === 'mcp_structured_content')?.data;
  const resources = artifacts.filter(isMcpBlock);
  return {
    content: [...blocks.map(mcpBlockOf), ...resources],
    ...(data !== undefined && { structuredContent: data }),
  };
}

/** Converts a content block of LangChain to the block of MCP that it was made of. */
function mcpBlockOf(block: Foreign) {
  const { type, image_url: image, source_type: source, data, mime_type: mimeType, text, url } = block;
  if (type === 'text') return { type, text };
  if (type === 'image_url') {
    const [, ofUrl, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(image?.url ?? '') ?? [];
    return base64 === undefined ? block : { type: 'image', data: base64, mimeType: ofUrl };
  }
  if ((type === 'image' || type === 'audio') && source === 'base64') return { type, data, mimeType };
  if (type !== 'file') return block;
  const uri = block.metadata?.uri;
  const resource = { ...(uri !== undefined && { uri }), ...(mimeType !== undefined && { mimeType }) };
  if (source === 'text') return { type: 'resource', resource: { ...resource, text } };
  if (source === 'base64') return { type: 'resource', resource: { ...resource, blob: data } };
  return { type: 'resource_link', uri: url, name: url, ...(mimeType !== undefined && { mimeType }) };
}

function isCommand(output: Foreign) {
  return output?.lg_name === 'Command' && !isPlainObject(output);
}

/**
 * Whether a thrown value is not a failure but a signal that LangGraph handles: an interrupt, or a command for a parent
 * graph.
 */
function isForGraph(thrown: Foreign) {
  return thrown?.is_bubble_up === true;
}
