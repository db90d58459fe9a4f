import { childLink } from './link';
import { memberDefinitions } from './resources';
import { remoteLink } from './remote-link';
import { PROGRESS } from './progress';
import { withoutSameNames } from './same-names';
import { ToolList } from './tool-list';
import { checkedResult } from './tool-result';
import { textOf } from './messages';
import { WorkBudget, inSlices } from '../../contract/budget';
import { performance } from '../../contract/clock';
import { describe } from '../../contract/describe';
import { hideDetails } from '../../contract/error-details';
import { memberIdentifier } from '../../contract/tool-names';
import { CallableTool } from '../code-tool/definition';
import { languageText } from '../code-tool/language';
import { mcpValue } from '../code-tool/mcp-result';
import { stoppable } from '../code-tool/stoppable-run';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../../json-schema';
import type { Foreign } from '../../contract/foreign';
import type { CodeToolDefinition } from '../code-tool/types';
import type { ServerTarget } from './address';
import type { Link } from './link';
import type { Progress } from './progress';

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

/** Time limit for all pages of the list of tools. */
const LIST_MS = 60_000;

/** Errors for data of a result that cannot be checked. */
const REASONS = [NotJsonError, UncheckableError, UnusableSchemaError];

/**
 * Starts other MCP servers, or connects to them, whose tools code can call.
 *
 * @returns the servers in the given order; if one of them cannot be used, all of them are ended
 */
export async function connectServers(targets: readonly ServerTarget[]): Promise<ConnectedServer[]> {
  const outcomes = await Promise.allSettled(targets.map(connect));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  const connected = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (failed === undefined) return connected;
  await Promise.all(connected.map(({ close }) => close()));
  throw (failed as PromiseRejectedResult).reason;
}

async function connect(target: ServerTarget): Promise<ConnectedServer> {
  const { name } = target;
  const server = new OtherServer(target);
  try {
    const {
      tools: { tools, refused },
      capabilities,
    } = await server.list();
    const warnings = refused.map(({ tool, reason }) => `the tool ${tool} of the server ${name} is left out: ${reason}`);
    const leaveOut = (tool: string, reason: string) =>
      void warnings.push(`the tool ${describe(tool)} of the server ${name} is left out: ${reason}`);
    const budget = new WorkBudget();
    const usable = await inSlices(definitionsIn(server, name, { tools, leaveOut, budget }), budget);
    const kept = withoutSameNames(
      usable.map((it) => [it.own, it]),
      (own, other) => leaveOut(own, `in code it would have the same name as the tool ${describe(other)}`),
    );
    return {
      name,
      definitions: {
        ...memberDefinitions(server, capabilities),
        ...Object.fromEntries(kept.map((it) => [it.name, it.definition])),
      },
      warnings,
      close: () => server.close(),
    };
  } catch (cause) {
    await server.close();
    throw new Error(`the server ${name} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

interface Usable {
  /** in code */
  name: string;
  /** as the server lists it */
  own: string;
  definition: CodeToolDefinition;
}

/**
 * The definitions of a server's tools. Pauses between tools: the server decides how many there are, and how large.
 *
 * @param namespace the name of the server in code
 */
function* definitionsIn(
  server: OtherServer,
  namespace: string,
  of: { tools: ToolList['tools']; leaveOut: (tool: string, reason: string) => void; budget: WorkBudget },
): Generator<void, Usable[]> {
  const usable: Usable[] = [];
  for (const tool of of.tools.filter(isCallable)) {
    try {
      const name = memberIdentifier(tool.name);
      const definition = checkedDefinition(server, `${namespace}.${name}`, tool);
      usable.push({ name, own: tool.name, definition });
    } catch (error) {
      of.leaveOut(tool.name, (error as Error).message);
    }
    if (of.budget.isSliceOver()) yield;
  }
  return usable;
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

/** A server that answers. */
interface Running {
  link: Link;
  tools: ToolList;
}

/** A server that the first call starts, or connects to. If it has ended, the next call starts it again. */
export class OtherServer {
  #target;
  #running: Promise<Running> | undefined;
  /** What the last start has opened: its transport, and then its link. */
  #opened: { close: () => Promise<void> } | undefined;
  /** Times of the recent starts. */
  #starts: number[] = [];
  #isClosed = false;

  constructor(target: ServerTarget) {
    this.#target = target;
  }

  /** @returns the tools as the server lists them, those that do not conform to the protocol, and its capabilities */
  async list(): Promise<{ tools: ToolList; capabilities: Foreign }> {
    const { tools, link } = await this.#run();
    return { tools, capabilities: link.capabilities };
  }

  /** @returns the result as the server returns it */
  callTool(tool: string, input: Foreign, signal: AbortSignal, progress?: Progress): Promise<Foreign> {
    const report = progress && ((of: Foreign) => progress.report(`${this.#target.name}.${tool}`, progressText(of)));
    return this.request('tools/call', { name: tool, arguments: input }, signal, report);
  }

  /** @returns the result as the server returns it */
  async request(method: string, params: Foreign, signal: AbortSignal, onprogress?: Foreign): Promise<Foreign> {
    const { name } = this.#target;
    const { link } = await this.#run().catch((cause) => {
      throw wrapped(`the server ${name} has ended and cannot be started again: ${cause.message}`, cause);
    });
    try {
      // The SDK never removes its listener from a signal, and cancels requests even after they are answered.
      return await stoppable(signal, (own) =>
        link.request(method, params, { signal: own, timeout: NO_TIMEOUT_MS, ...(onprogress && { onprogress }) }),
      );
    } catch (cause) {
      if (signal.aborted || link.ending === undefined) throw readable(cause);
      throw wrapped(`the server ${name} has ended (${link.ending}); the next call starts it again`, cause);
    }
  }

  /** A start that waits for a server fails when its transport is closed. Therefore nothing waits for it before. */
  async close() {
    this.#isClosed = true;
    await this.#opened?.close();
    await this.#running?.catch(() => {});
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

  async #start(onLost: () => void): Promise<Running> {
    if (this.#isClosed) throw new Error('it has been closed');
    this.#countStart();
    const target = this.#target;
    const onTransport = (transport: { close: () => Promise<void> }) => {
      this.#opened = transport;
      if (this.#isClosed) void transport.close();
    };
    const link =
      target.url === undefined
        ? await childLink(target, onLost, onTransport).catch((error) => {
            throw readable(error);
          })
        : await remoteLink(target, onLost, onTransport);
    this.#opened = link;
    try {
      return { link, tools: await listTools(link) };
    } catch (cause) {
      const { ending } = link;
      await link.close();
      throw ending === undefined ? readable(cause) : new Error(`it has ended (${ending})`, { cause });
    }
  }

  /** @throws {Error} if there are too many starts */
  #countStart() {
    const now = performance.now();
    this.#starts = this.#starts.filter((start) => now - start < STARTS_WITHIN_MS);
    if (this.#starts.length === MAX_STARTS) {
      const left = Math.ceil((this.#starts[0] + STARTS_WITHIN_MS - now) / 1000);
      throw new Error(`it has been started ${MAX_STARTS} times recently; wait ${left} s`);
    }
    this.#starts.push(now);
  }
}

async function listTools(link: Link) {
  const end = performance.now() + LIST_MS;
  const list = new ToolList();
  do {
    const timeout = Math.max(1, end - performance.now());
    const params = list.cursor === undefined ? undefined : { cursor: list.cursor };
    await list.add(await link.request('tools/list', params, { timeout }));
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
