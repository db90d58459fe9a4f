import { answerOf, questionAbout } from './elicitation';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { WaitingCall } from '../../contract/waiting-types';
import type { Served, ServedTool, ToolRequest } from './served';

/** The property of `_meta` that each request of protocol 2026-07-28 has. */
const CLAIM = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Whether a message belongs to protocol 2026-07-28 or a later one. */
export function isModern(message: Foreign): boolean {
  return message?.params?._meta?.[CLAIM] !== undefined;
}

/** Ends a request whose program waits for a person: the client asks, and repeats the request with the decision. */
class PersonNeeded extends Error {
  readonly call: WaitingCall;

  constructor(call: WaitingCall) {
    super('a person has to decide');
    this.call = call;
  }
}

/**
 * Serves a session to clients of protocol 2026-07-28. These begin with `server/discover`, and each of their requests
 * stands alone.
 */
export function modernServer({ tools, instructions }: Pick<Served, 'tools' | 'instructions'>) {
  const { McpServer, z } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const server = new McpServer(
    { name: 'ses-executor', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  );
  for (const { name, title, description, inputShape, outputShape, annotations, call } of tools) {
    const config = {
      ...{ title, description, annotations },
      inputSchema: z.object(inputShape ?? {}),
      ...(outputShape !== undefined && { outputSchema: z.object(outputShape) }),
    };
    server.registerTool(name, config, async (args: Foreign, context: Foreign) => await answered(call, args, context));
  }
  return server;
}

async function answered(call: ServedTool['call'], args: Foreign, { mcpReq }: Foreign): Promise<Foreign> {
  const { inputRequired } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const request: ToolRequest = {
    signal: mcpReq.signal,
    _meta: mcpReq._meta,
    sendNotification: mcpReq.notify,
    isRepeated: mcpReq.inputResponses !== undefined,
    ask: async (waiting) => {
      const given = mcpReq.inputResponses;
      if (given !== undefined && Object.hasOwn(given, waiting.key)) return answerOf(given[waiting.key], waiting);
      if (!canShowForms(mcpReq.envelope?.[CAPABILITIES]?.elicitation)) return undefined;
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
