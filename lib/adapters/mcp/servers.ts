import { ChildTransport } from './child';
import { PROGRESS } from './progress';
import { withoutSameNames } from './same-names';
import { ToolList } from './tool-list';
import { checkedResult } from './tool-result';
import { textOf } from './messages';
import { Client, z } from '../../bundled/mcp';
import { performance } from '../../contract/clock';
import { describe } from '../../contract/describe';
import { hideDetails } from '../../contract/error-details';
import { memberIdentifier } from '../../contract/tool-names';
import { CallableTool } from '../code-tool/definition';
import { languageText } from '../code-tool/language';
import { mcpValue } from '../code-tool/mcp-result';
import { stoppable } from '../code-tool/stoppable-run';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../../json-schema';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { CodeToolDefinition } from '../code-tool/types';
import type { Progress } from './progress';

export type ServerCommand = { name: string; command: string };

export interface ConnectedServer {
  name: string;
  /** The server's tools, by identifier. */
  definitions: Record<string, CodeToolDefinition>;
  /** One line for each tool that code cannot call because its description is wrong. */
  warnings: string[];
  close: () => Promise<void>;
}

/** The longest timer. Calls are ended by their signal and by the deadline of the run. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Maximum number of starts of one server within this period. A server that ends at each call must not keep the host
 * busy.
 */
const MAX_STARTS = 4;
const STARTS_WITHIN_MS = 60_000;

/** A URL in place of a command, with or without quotes. */
const ADDRESS = /^[\s"'`<]*[a-z][a-z\d+.-]*:\/\//i;

/** Time limit for all pages of the list of tools. */
const LIST_MS = 60_000;

/**
 * A schema that accepts any result. The SDK's schemas check all parts of a value in one step. `checkedResult` and
 * `ToolList` check in slices.
 */
const ANY = z.any();
/** Errors for data of a result that cannot be checked. */
const REASONS = [NotJsonError, UncheckableError, UnusableSchemaError];

/**
 * Starts other MCP servers whose tools code can call.
 *
 * @returns the servers in the given order; if one of them cannot be used, all of them are ended
 */
export async function connectServers(commands: readonly ServerCommand[]): Promise<ConnectedServer[]> {
  for (const command of commands) refuseAddress(command);
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
    const { tools, refused } = await server.listTools();
    const warnings = refused.map(({ tool, reason }) => `the tool ${tool} of the server ${name} is left out: ${reason}`);
    const leaveOut = (tool: string, reason: string) =>
      void warnings.push(`the tool ${describe(tool)} of the server ${name} is left out: ${reason}`);
    const usable = tools.filter(isCallable).flatMap((tool) => {
      try {
        const identifier = memberIdentifier(tool.name);
        const definition = checkedDefinition(server, `${name}.${identifier}`, tool);
        return [{ name: identifier, own: tool.name, definition }];
      } catch (error) {
        leaveOut(tool.name, (error as Error).message);
        return [];
      }
    });
    const kept = withoutSameNames(
      usable.map((it) => [it.own, it]),
      (own, other) => leaveOut(own, `code would call it by the name of the tool ${describe(other)}`),
    );
    return {
      name,
      definitions: Object.fromEntries(kept.map((it) => [it.name, it.definition])),
      warnings,
      close: () => server.close(),
    };
  } catch (cause) {
    await server.close();
    throw new Error(`the server ${name} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/** @throws {TypeError} for a URL, which a shell would run as the name of a program */
export function refuseAddress({ name, command }: ServerCommand) {
  if (!ADDRESS.test(command)) return;
  throw new TypeError(
    `the server ${name} must be a command that starts it, got the address ${describe(command.trim())}; for a server at an ` +
      `address use a command such as: npx -y mcp-remote <address>`,
  );
}

/**
 * @param path the name that code uses
 * @param tool the tool as the server lists it
 * @throws {Error} if it cannot be declared
 */
function checkedDefinition(server: OtherServer, path: string, tool: Foreign): CodeToolDefinition {
  const definition = definitionOf(server, tool);
  for (const name of ['javascript', 'python']) {
    const language = languageText(name);
    const callable = new CallableTool(path, definition).in(language);
    language.declare(callable.declared());
  }
  return definition;
}

/** A running process. */
export interface Running {
  client: Foreign;
  transport: ChildTransport;
  tools: ToolList;
}

/** A server that the first call starts. If it has ended, the next call starts it again. */
class OtherServer {
  #command;
  #running: Promise<Running> | undefined;
  /** The transport of the last process. */
  #transport: ChildTransport | undefined;
  /** Times of the recent starts. */
  #starts: number[] = [];
  #isClosed = false;

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  /** @returns the tools as the server lists them, and those that do not conform to the protocol */
  async listTools(): Promise<ToolList> {
    return (await this.#run()).tools;
  }

  /** @returns the result as the server returns it */
  async callTool(tool: string, input: Foreign, signal: AbortSignal, progress?: Progress): Promise<Foreign> {
    const { name } = this.#command;
    const { client, transport } = await this.#run().catch((cause) => {
      throw wrapped(`the server ${name} has ended and cannot be started again: ${cause.message}`, cause);
    });
    try {
      // The SDK never removes its listener from a signal, and cancels requests even after they are answered.
      return await stoppable(signal, (own) =>
        client.request({ method: 'tools/call', params: { name: tool, arguments: input } }, ANY, {
          signal: own,
          timeout: NO_TIMEOUT_MS,
          ...(progress && { onprogress: (of: Foreign) => progress.report(`${name}.${tool}`, progressText(of)) }),
        }),
      );
    } catch (cause) {
      if (signal.aborted || transport.ending === undefined) throw readable(cause);
      throw wrapped(`the server ${name} has ended (${transport.ending}); the next call starts it again`, cause);
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

  /** @throws {Error} if there are too many starts */
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

async function listTools(client: Foreign) {
  const end = performance.now() + LIST_MS;
  const list = new ToolList();
  do {
    const timeout = Math.max(1, end - performance.now());
    const params = list.cursor === undefined ? undefined : { cursor: list.cursor };
    await list.add(await client.request({ method: 'tools/list', params }, ANY, { timeout }));
  } while (list.cursor !== undefined);
  return list;
}

/**
 * Whether a call returns the result. Some tools return a task that must be queried for the result.
 *
 * @param tool the tool as the server lists it
 */
function isCallable({ execution }: Foreign) {
  return execution?.taskSupport !== 'required';
}

/**
 * Checks the data of a result against the output schema of the tool. Unusable parts of the schema are ignored.
 *
 * @returns the result with the data that was checked
 * @throws {Error} whose message states the problem with the data
 */
async function withCheckedData(
  name: string,
  result: Foreign,
  schema: JsonSchema,
  signal: AbortSignal,
): Promise<Foreign> {
  if (result.isError) return result;
  if (!result.structuredContent) {
    throw new Error(`MCP error -32600: Tool ${name} has an output schema but did not return structured content`);
  }
  try {
    const checked = await schema.check(result.structuredContent, signal);
    if (checked.issues === undefined) return { ...result, structuredContent: checked.value };
    throw unlikeSchema(checked.issues.map(({ message }) => message).join('; '));
  } catch (error) {
    if (!REASONS.some((Reason) => error instanceof Reason)) throw error;
    throw unlikeSchema(`it cannot be checked: ${(error as Error).message}`);
  }
}

function unlikeSchema(reason: string) {
  return new Error(`the structured content does not match the tool's output schema: ${reason}`);
}

/**
 * Makes an error of a server readable. The SDK's error for an answer that violates the protocol lists every violation.
 */
function readable(error: Foreign) {
  return Array.isArray(error?.issues) ? wrapped(textOf(error, 'its answer'), error) : error;
}

/** An error for guests whose cause is for the host only. */
function wrapped(message: string, cause: unknown) {
  return hideDetails(new Error(message, { cause }));
}

/** @param of the progress that a server reports */
function progressText({ progress, total, message }: Foreign) {
  const done = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${done}${typeof message === 'string' ? ` ${message}` : ''}`;
}

/** @param tool the tool as the server lists it */
function definitionOf(
  server: OtherServer,
  { name, description, inputSchema, outputSchema }: Foreign,
): CodeToolDefinition {
  const schema = outputSchema === undefined ? undefined : new JsonSchema(outputSchema, { isLenient: true });
  return {
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    execute: async (input, { signal, context }) => {
      const result = await checkedResult(await server.callTool(name, input, signal, context?.[PROGRESS]));
      return mcpValue(schema === undefined ? result : await withCheckedData(name, result, schema, signal), signal);
    },
  };
}
