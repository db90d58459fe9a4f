import { ChildTransport } from './child';
import { ToolList } from './tool-list';
import { checkedResult } from './tool-result';
import { textOf } from './messages';
import { Client, z } from '../../bundled/mcp';
import { performance } from '../../contract/clock';
import { byIdentifier, memberIdentifier } from '../../contract/tool-names';
import { stoppable } from '../code-tool/stoppable-run';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../../json-schema';
import { version } from '../../../package.json';
import type { CodeToolDefinition } from '../code-tool/api';

export type ServerCommand = { name: string; command: string };

export interface ConnectedServer {
  name: string;
  /** its tools, by identifier */
  definitions: Record<string, CodeToolDefinition>;
  close: () => Promise<void>;
}

/** The longest timer: the deadline of the run ends a call, and its signal. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Starts of one server within so many milliseconds: one that ends at each call must not keep the host busy. */
const MAX_STARTS = 4;
const STARTS_WITHIN_MS = 60_000;

/** Time for all pages of the list of tools. */
const LIST_MS = 60_000;

/**
 * What the SDK checks of results here: nothing. Its schemas check each part of a value at once; `checkedResult` and `ToolList` do not.
 */
const ANY = z.any();
/** Why the data of a result cannot be checked. */
const REASONS = [NotJsonError, UncheckableError, UnusableSchemaError];

/**
 * Starts other servers of the Model Context Protocol, whose tools code can call.
 *
 * @returns in the same order; if one cannot be used, none runs on
 */
export async function connectServers(commands: readonly ServerCommand[]): Promise<ConnectedServer[]> {
  const outcomes = await Promise.allSettled(commands.map(connect));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  const connected = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (failed === undefined) return connected;
  await Promise.all(connected.map(({ close }) => close()));
  throw (failed as PromiseRejectedResult).reason;
}

async function connect(command: ServerCommand): Promise<ConnectedServer> {
  const { name } = command;
  const server = new OtherServer(command);
  try {
    const tools = (await server.listTools()).filter(isCallable);
    const definitions = tools.map((tool) => [tool.name, definitionOf(server, tool)]);
    return {
      name,
      definitions: byIdentifier(Object.fromEntries(definitions), memberIdentifier),
      close: () => server.close(),
    };
  } catch (cause) {
    await server.close();
    throw new Error(`the server ${name} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/** A process that runs. */
export interface Running {
  client: any;
  transport: ChildTransport;
  tools: any[];
}

/** A server that is started by its first call, and again by the next one when it has ended. */
class OtherServer {
  #command;
  #running: Promise<Running> | undefined;
  /** Of the last process. */
  #transport: ChildTransport | undefined;
  /** When it was started lately. */
  #starts: number[] = [];
  #isClosed = false;

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  /** @returns as the server lists them */
  async listTools(): Promise<any[]> {
    return (await this.#run()).tools;
  }

  /** @returns as the server answers */
  async callTool(tool: string, input: any, signal: AbortSignal): Promise<any> {
    const { name } = this.#command;
    const { client, transport } = await this.#run().catch((cause) => {
      throw new Error(`the server ${name} has ended and cannot be started again: ${cause.message}`, { cause });
    });
    try {
      // The SDK listens to a signal for good, and cancels also what has been answered.
      return await stoppable(signal, (own) =>
        client.request({ method: 'tools/call', params: { name: tool, arguments: input } }, ANY, {
          signal: own,
          timeout: NO_TIMEOUT_MS,
        }),
      );
    } catch (cause) {
      if (signal.aborted || transport.ending === undefined) throw readable(cause);
      throw new Error(`the server ${name} has ended (${transport.ending}); the next call starts it again`, { cause });
    }
  }

  async close() {
    this.#isClosed = true;
    await this.#transport?.close();
  }

  #run() {
    if (this.#running !== undefined) return this.#running;
    const forget = () => {
      if (this.#running === running) this.#running = undefined;
    };
    const running = this.#start(forget);
    running.catch(forget);
    this.#running = running;
    return running;
  }

  async #start(onEnd: () => void): Promise<Running> {
    if (this.#isClosed) throw new Error('it has been closed');
    this.#countStart();
    const transport = new ChildTransport(this.#command);
    transport.onclose = onEnd;
    this.#transport = transport;
    const client = new Client({ name: 'ses-executor', version }, {});
    try {
      await client.connect(transport);
      return { client, transport, tools: await listTools(client) };
    } catch (cause) {
      const { ending } = transport;
      await transport.close();
      throw ending === undefined ? readable(cause) : new Error(`it has ended (${ending})`, { cause });
    }
  }

  /** @throws {Error} if there are too many */
  #countStart() {
    const now = performance.now();
    this.#starts = this.#starts.filter((start) => now - start < STARTS_WITHIN_MS);
    if (this.#starts.length === MAX_STARTS) {
      const left = Math.ceil((this.#starts[0] + STARTS_WITHIN_MS - now) / 1000);
      throw new Error(`it has been started ${MAX_STARTS} times lately; wait ${left} s`);
    }
    this.#starts.push(now);
  }
}

async function listTools(client: any) {
  const end = performance.now() + LIST_MS;
  const list = new ToolList();
  do {
    const timeout = Math.max(1, end - performance.now());
    const params = list.cursor === undefined ? undefined : { cursor: list.cursor };
    await list.add(await client.request({ method: 'tools/list', params }, ANY, { timeout }));
  } while (list.cursor !== undefined);
  return list.tools;
}

/**
 * Whether a call gives the result: some tools give a task that is asked for it.
 *
 * @param tool as the server lists it
 */
function isCallable({ execution }: any) {
  return execution?.taskSupport !== 'required';
}

/**
 * A result whose data is as the tool's output schema has it. Parts of the schema that cannot be used are left out.
 *
 * @returns with the data that was checked
 * @throws {Error} that says what is wrong with the data
 */
async function withCheckedData(name: string, result: any, schema: JsonSchema, signal: AbortSignal): Promise<any> {
  if (result.isError) return result;
  if (!result.structuredContent) {
    throw new Error(`MCP error -32600: Tool ${name} has an output schema but did not return structured content`);
  }
  try {
    const { value, issues } = (await schema.check(result.structuredContent, signal)) as any;
    if (issues === undefined) return { ...result, structuredContent: value };
    throw unlikeSchema(issues.map(({ message }: any) => message).join('; '));
  } catch (error) {
    if (!REASONS.some((Reason) => error instanceof Reason)) throw error;
    throw unlikeSchema(`it cannot be checked: ${(error as Error).message}`);
  }
}

function unlikeSchema(reason: string) {
  return new Error(`the structured content does not match the tool's output schema: ${reason}`);
}

/** An error of a server. What the SDK says of an answer that is not as the protocol has it is all that it is not. */
function readable(error: any) {
  return Array.isArray(error?.issues) ? new Error(textOf(error, 'its answer'), { cause: error }) : error;
}

/** @param tool as the server lists it */
function definitionOf(server: OtherServer, { name, description, inputSchema, outputSchema }: any): CodeToolDefinition {
  const schema = outputSchema === undefined ? undefined : new JsonSchema(outputSchema, { isLenient: true });
  return {
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    execute: async (input, { signal }) => {
      const result = checkedResult(await server.callTool(name, input, signal));
      return valueOf(schema === undefined ? result : await withCheckedData(name, result, schema, signal));
    },
  };
}

/**
 * What code gets of a result: data if there is any, else the text, else the blocks.
 *
 * @throws {Error} if it is an error
 */
function valueOf({ content = [], structuredContent, isError }: any) {
  const texts = content.filter(({ type }: any) => type === 'text');
  const text = texts.map((block: any) => block.text).join('\n');
  if (isError) throw new Error(text || saidOtherwise(content, structuredContent) || 'the tool has failed');
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? text : content;
}

/** What an error says that has no text: in resources, or as data. */
function saidOtherwise(content: any[], data: unknown): string | undefined {
  const texts = content.map(({ resource }) => resource?.text).filter((text) => typeof text === 'string');
  return texts.join('\n') || JSON.stringify(data);
}
