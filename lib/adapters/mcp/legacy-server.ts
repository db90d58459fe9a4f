import { askPerson, canAskPerson } from './elicitation';
import { Tasks } from './tasks';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError, Server, z } from '../../bundled/mcp';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { Served, ServedTool, ToolRequest } from './served';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

const NO_INPUT = { type: 'object' as const, properties: {} };

/** Serves a session to clients of protocol 2025-11-25 and earlier, which begin with `initialize`. */
export function legacyServer({ tools, instructions }: Pick<Served, 'tools' | 'instructions'>) {
  const tasks = new Tasks();
  const canTask = tools.some(({ canBeTask }) => canBeTask);
  const server = new Server(
    { name: 'ses-executor', version },
    {
      capabilities: {
        tools: {},
        ...(canTask && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
      },
      instructions,
      ...(canTask && { taskStore: tasks.store }),
    },
  );
  const listed = tools.map(listedTool);
  const known = new Map(
    tools.map((tool) => [tool.name, { tool, input: tool.inputShape && z.object(tool.inputShape) }]),
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra: Foreign): Promise<Foreign> => {
    const found = known.get(params.name);
    if (found === undefined) return failed(new McpError(ErrorCode.InvalidParams, `Tool ${params.name} not found`));
    const { tool, input } = found;
    const read = await argumentsOf(tool.name, input, params.arguments);
    if (read.refusal !== undefined) return read.refusal;
    const request: ToolRequest = {
      signal: extra.signal,
      _meta: extra._meta,
      sendNotification: extra.sendNotification,
      canAsk: canAskPerson(server),
      ask: (call) => askPerson(server, call, extra.signal),
    };
    if (params.task === undefined) return await called(tool, read.args, request);
    if (!tool.canBeTask) throw new McpError(ErrorCode.MethodNotFound, `Tool ${tool.name} cannot be called as a task`);
    return await tasks.start(extra.taskStore, params.task, (signal) => {
      // The request has ended. Neither progress nor questions can be sent in its name.
      const silent = { sendNotification: async () => {}, ask: async () => undefined, canAsk: canAskPerson(server) };
      return called(tool, read.args, { signal, ...silent });
    });
  });
  const { onclose } = server;
  server.onclose = () => {
    onclose?.();
    tasks.end();
  };
  return server;
}

/** @returns a failure of the tool as a result, as clients expect */
async function called(tool: ServedTool, args: Foreign, request: ToolRequest): Promise<CallToolResult> {
  try {
    return await tool.call(args, request);
  } catch (error) {
    return failed(error);
  }
}

async function argumentsOf(
  name: string,
  input: Foreign,
  given: unknown,
): Promise<{ args?: Foreign; refusal?: CallToolResult }> {
  if (input === undefined) return { args: {} };
  const { data, error } = await input.safeParseAsync(given ?? {});
  if (error === undefined) return { args: data };
  const text = `Input validation error: Invalid arguments for tool ${name}: ${error.message}`;
  return { refusal: failed(new McpError(ErrorCode.InvalidParams, text)) };
}

function failed(error: unknown): CallToolResult {
  const text = error instanceof Error ? error.message : String(error);
  return { content: [{ type: 'text', text }], isError: true };
}

function listedTool({ name, title, description, inputShape, outputShape, annotations, canBeTask }: ServedTool) {
  const options = { target: 'draft-7' } as const;
  return {
    ...{ name, title, description, annotations },
    inputSchema: inputShape === undefined ? NO_INPUT : schemaOf(inputShape, { ...options, io: 'input' }),
    ...(outputShape !== undefined && { outputSchema: schemaOf(outputShape, { ...options, io: 'output' }) }),
    execution: { taskSupport: canBeTask ? ('optional' as const) : ('forbidden' as const) },
  };
}

function schemaOf(shape: z.ZodRawShape, options: Parameters<typeof z.toJSONSchema>[1]) {
  return z.toJSONSchema(z.object(shape), options) as { type: 'object' };
}
