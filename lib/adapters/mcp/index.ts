/**
 * `ses-executor/mcp`: the MCP (Model Context Protocol) server that `ses-executor mcp` starts, for any transport. The
 * package includes the SDK of the protocol.
 *
 * @packageDocumentation
 */

import { refuseAddress } from './servers';
import { createSessionServer } from './session-server';
import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { isExecutor, refuseOtherOptions } from '../../contract/executor';
import { NO_LIMIT, OPTION_NAMES, checkOptions, optionsOf } from '../../contract/options';
import { refuseWrongOptions } from '../../ses/check-options';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Executor } from '../../contract/executor-types';
import type { Tools } from '../../contract/tool-types';
import type { CodeToolDefinition } from '../code-tool/types';

/** Options of {@link createMcpServer}. Without `executor`, they include the options of the server's own executor. */
export interface McpServerOptions extends ExecutorOptions {
  /** See {@link ExecutorOptions.isolation}. Default `"process"`; on Windows `"thread"`. */
  isolation?: ExecutorOptions['isolation'] | undefined;
  /** See {@link ExecutorOptions.keepState}. Default `true`: variables survive a call that the client cancels. */
  keepState?: ExecutorOptions['keepState'] | undefined;
  /**
   * The executor that runs the code, with its language and limits. It is cleaned up when the session is reset and when
   * the server closes.
   */
  executor?: Executor | undefined;
  /** The folder that the file tools are confined to. Without it there are no file tools. */
  root?: string | undefined;
  /** Whether file tools that modify files are left out. */
  readOnly?: boolean | undefined;
  /**
   * The tools that code can call: functions, namespaces of functions, and tools with schemas that declare them. A name
   * that is not an identifier is changed: `list-files` becomes `list_files`.
   */
  tools?: Readonly<Record<string, Tools[string] | CodeToolDefinition>> | undefined;
  /**
   * Shell commands that start other servers, by name. The tools of a server are functions of the namespace of that
   * name. Names that are not identifiers are changed: `list-files` becomes `list_files`, and `then` becomes `then_`. An
   * address in place of a command is a `TypeError`.
   *
   * Code can call the tools that a server lists at its first start, except tools that can only be called as tasks. A
   * tool whose description is wrong, or whose name another tool has in code, is left out with a process warning. If a
   * server has ended, the next call starts it again, at most four times per minute. An answer of more than 10 MiB fails
   * its call. All processes that the command starts end with the server. They also end with this process, unless a
   * signal ends this process.
   *
   * Code receives the `structuredContent` of a result, otherwise its text, otherwise its blocks. Text that is a JSON
   * object or array becomes its value. A result with `isError` is thrown. Progress that a server reports reaches the
   * client, if it has asked for progress.
   */
  servers?: Readonly<Record<string, string>> | undefined;
  /** Variables of each session. */
  variables?: Readonly<Record<string, unknown>> | undefined;
}

/** A server with one session. */
export interface McpServer {
  /** Serves one client over a transport of the protocol's SDK. Any version of the SDK is accepted. */
  connect(transport: object): Promise<void>;
  /** Ends the session, the other servers and the connection. */
  close(): Promise<void>;
}

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['executor', 'root', 'readOnly', 'tools', 'servers', 'variables'];
const KNOWN = [...OWN_OPTIONS, ...OPTION_NAMES];

/**
 * Creates a server with the tools `run_javascript` and `reset`. For a Python executor, `run_python` replaces
 * `run_javascript`.
 *
 * Rejects with a `TypeError` or `RangeError` for wrong options and for two tools with the same name. Rejects with an
 * `Error` if one of the other servers cannot be used.
 *
 * @example
 * ```js
 * const server = await createMcpServer({
 *   tools: { search },
 *   servers: { github: 'npx -y @modelcontextprotocol/server-github' },
 * });
 * await server.connect(new StdioServerTransport());
 * ```
 */
export async function createMcpServer(options: McpServerOptions = {}): Promise<McpServer> {
  const {
    executor,
    root,
    readOnly,
    tools,
    servers: commands = {},
    variables,
    ...others
  } = optionsOf(options, 'options', KNOWN);
  refuseNoObjects({ tools, servers: commands, variables });
  if (readOnly !== undefined && typeof readOnly !== 'boolean') {
    throw new TypeError(`options.readOnly must be a boolean, got ${describe(readOnly)}`);
  }
  const own = executor === undefined ? executorOptions(others) : ofGiven(executor, others);
  const servers = Object.entries(commands as Record<string, unknown>).map(([name, command]) => {
    if (typeof command === 'string' && command.trim() !== '') {
      refuseAddress({ name, command });
      return { name, command };
    }
    throw new TypeError(`${memberPath('options.servers', name)} must be a command, got ${describe(command)}`);
  });
  const { server, warnings, close } = await createSessionServer({
    ...{ executor, root, readOnly, tools, servers, variables },
    ...own,
  });
  for (const warning of warnings) process.emitWarning(warning, 'McpServerWarning');
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    close: async () => {
      await close();
      await server.close();
    },
  };
}

function refuseNoObjects(given: Record<string, unknown>) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || isPlainObject(value)) continue;
    throw new TypeError(`options.${name} must be an object, got ${describe(value)}`);
  }
}

function executorOptions(options: ExecutorOptions) {
  refuseWrongOptions(options, OWN_OPTIONS);
  const { timeoutMs, memoryLimitMb, maxOperations } = checkOptions({ maxOperations: NO_LIMIT, ...options });
  return { keepState: true, ...options, timeoutMs, memoryLimitMb, maxOperations };
}

/** Rejects executor options next to `executor`, which has its own options. */
function ofGiven(executor: unknown, others: object) {
  if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
  refuseOtherOptions(others, OWN_OPTIONS);
  return {};
}
