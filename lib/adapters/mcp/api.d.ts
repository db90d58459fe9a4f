/**
 * `ses-executor/mcp`: the MCP (Model Context Protocol) server that `ses-executor mcp` starts, for any transport. The
 * package includes the SDK of the protocol.
 *
 * @packageDocumentation
 */

import type { Executor, ExecutorOptions, Tools } from '../../../index';
import type { CodeToolDefinition } from '../code-tool/api';

/** Options of {@link createMcpServer}. Without `executor`, they include the options of the server's own executor. */
export interface McpServerOptions extends ExecutorOptions {
  /** See {@link ExecutorOptions.isolation}. Default `"process"`; on Windows `"thread"`. */
  isolation?: ExecutorOptions['isolation'] | undefined;
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
   * name. Names that are not identifiers are changed: `list-files` becomes `list_files`, and `then` becomes `then_`.
   *
   * Code can call the tools that a server lists at its first start, except tools that can only be called as tasks. If a
   * server has ended, the next call starts it again, at most four times per minute. An answer of more than 10 MiB fails
   * its call. All processes that the command starts end with the server. They also end with this process, unless a
   * signal ends this process.
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
export function createMcpServer(options?: McpServerOptions): Promise<McpServer>;
