/**
 * `ses-executor/mcp`: the server of the Model Context Protocol that `ses-executor mcp` starts, for any transport. The protocol's SDK is in
 * the package.
 *
 * @packageDocumentation
 */

import type { Executor, ExecutorOptions, Tools } from '../../../index';
import type { CodeToolDefinition } from '../code-tool/api';

/** What {@link createMcpServer} is made with; without `executor` also the options of its own. */
export interface McpServerOptions extends ExecutorOptions {
  /** As {@link ExecutorOptions.isolation}. Default `"process"`, on Windows `"thread"`. */
  isolation?: ExecutorOptions['isolation'] | undefined;
  /** Where code runs, in its language; its limits hold. It is cleaned up when the session is reset, and with the server. */
  executor?: Executor | undefined;
  /** Folder that the file tools are confined to; without it there are none. */
  root?: string | undefined;
  /** Whether the file tools that change something are left out. */
  readOnly?: boolean | undefined;
  /**
   * What code can call: functions, namespaces of functions, and tools with schemas, which are declared by them. A name that is no
   * identifier is changed: `list-files` is `list_files`.
   */
  tools?: Readonly<Record<string, Tools[string] | CodeToolDefinition>> | undefined;
  /**
   * Commands of other servers by name, any line of a shell: their tools are functions of the namespace of that name. Names that are no
   * identifiers are changed: `list-files` is `list_files`, and `then` is `then_`. Code has the tools that a server lists at its first
   * start, but for those that are called as tasks only. A server that has ended is started again by the next call, four times a minute
   * at most. An answer of more than 10 MiB is an error of its call. What the line starts ends with the server, and with this process,
   * unless a signal ends that.
   */
  servers?: Readonly<Record<string, string>> | undefined;
  /** Variables of each session. */
  variables?: Readonly<Record<string, unknown>> | undefined;
}

/** A server with one session. */
export interface McpServer {
  /** Serves one client, over a transport of the protocol's SDK, of any version. */
  connect(transport: object): Promise<void>;
  /** Ends the session, the other servers and the connection. */
  close(): Promise<void>;
}

/**
 * Makes a server with the tools `run_javascript`, or `run_python` for an executor of Python, and `reset`.
 *
 * Rejects with a `TypeError` or `RangeError` for wrong options and two tools of one name, and with an `Error` if one of the other
 * servers cannot be used.
 *
 * @example
 * ```js
 * const server = await createMcpServer({ tools: { search }, servers: { github: 'npx -y @modelcontextprotocol/server-github' } });
 * await server.connect(new StdioServerTransport());
 * ```
 */
export function createMcpServer(options?: McpServerOptions): Promise<McpServer>;
