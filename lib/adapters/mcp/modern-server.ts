import { answerOf, questionAbout } from './elicitation';
import { TASKS } from './modern-tasks';
import { PersonNeeded } from './person-needed';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { ModernTasks } from './modern-tasks';
import type { Served, ServedTool, ToolRequest } from './served';

/** The property of `_meta` that each request of protocol 2026-07-28 has. */
const CLAIM = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Whether a message belongs to protocol 2026-07-28 or a later one. */
export function isModern(message: Foreign): boolean {
  return message?.params?._meta?.[CLAIM] !== undefined;
}

/**
 * Serves a session to clients of protocol 2026-07-28. These begin with `server/discover`, and each of their requests
 * stands alone.
 *
 * @param tasks of all servers of the session: each request has its own server. The caller ends them.
 */
export function modernServer(served: Pick<Served, 'tools' | 'instructions'>, tasks: ModernTasks) {
  const { tools, instructions } = served;
  const { McpServer, z } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const server = new McpServer(
    { name: 'ses-executor', version },
    { capabilities: { tools: { listChanged: false }, extensions: { [TASKS]: {} } }, instructions },
  );
  const ofTask = (method: string, work: (id: string, responses: Record<string, unknown>) => Foreign) => {
    const schemas = { params: z.looseObject({ taskId: z.string() }), result: z.unknown() };
    // The SDK takes the answers of a person out of the parameters, in requests of all methods.
    server.server.setRequestHandler(method, schemas as Foreign, async ({ taskId }: Foreign, { mcpReq }: Foreign) =>
      work(taskId, mcpReq.inputResponses ?? {}),
    );
  };
  for (const tool of tools) {
    const { name, title, description, inputShape, outputShape, annotations, canBeTask } = tool;
    const call: ServedTool['call'] = (args, request) =>
      canBeTask && request.takesTasks ? tasks.call(tool.call, args, request) : tool.call(args, request);
    const config = {
      ...{ title, description, annotations },
      inputSchema: z.object(inputShape ?? {}),
      ...(outputShape !== undefined && { outputSchema: z.object(outputShape) }),
    };
    server.registerTool(name, config, async (args: Foreign, context: Foreign) => await answered(call, args, context));
  }
  ofTask('tasks/get', (id) => tasks.get(id));
  ofTask('tasks/update', (id, responses) => tasks.update(id, responses));
  ofTask('tasks/cancel', (id) => tasks.cancel(id));
  return server;
}

async function answered(call: ServedTool['call'], args: Foreign, { mcpReq }: Foreign): Promise<Foreign> {
  const { inputRequired } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const canAsk = canShowForms(mcpReq.envelope?.[CAPABILITIES]?.elicitation);
  const request: ToolRequest = {
    signal: mcpReq.signal,
    _meta: mcpReq._meta,
    sendNotification: mcpReq.notify,
    isRepeated: mcpReq.inputResponses !== undefined,
    takesTasks: mcpReq.envelope?.[CAPABILITIES]?.extensions?.[TASKS] !== undefined,
    canAsk,
    ask: async (waiting) => {
      const given = mcpReq.inputResponses;
      if (given !== undefined && Object.hasOwn(given, waiting.key)) return answerOf(given[waiting.key], waiting);
      if (!canAsk) return undefined;
      throw new PersonNeeded(waiting);
    },
  };
  try {
    return await call(args, request);
  } catch (error) {
    if (!(error instanceof PersonNeeded)) throw error;
    const { key } = error.call;
    const asked = inputRequired.elicit(questionAbout(error.call) as Foreign);
    return inputRequired({ inputRequests: { [key]: asked } });
  }
}

/** Whether a client can show a form. One that does not say what it can show shows forms. */
function canShowForms(elicitation: Foreign): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
