/**
 * `ses-executor/codemode`: runs the code of `@cloudflare/codemode` in Node.js.
 *
 * The declarations are those of `@cloudflare/codemode`. Node.js cannot load the complete package, only its parts
 * `/browser` and `/mcp`.
 *
 * @packageDocumentation
 */

import type { Executor, ExecutorOptions } from '../../../index';

/** The result of an execution. */
export interface ExecuteResult {
  /**
   * The return value of the function, if JSON can represent it completely and briefly. Otherwise the string that
   * `util.inspect` returns, shortened if it is long. `undefined` if the function returned nothing or if there is an
   * `error`.
   */
  result: unknown;
  /** The failure in a form for the model: code, message, location, code frame and hint. */
  error?: string;
  /** Console output. Lines of `console.warn` and `console.error` begin with `[warn] ` and `[error] `. */
  logs?: string[];
}

/** Functions that code can call as `name.function(...)`. */
export interface ResolvedProvider {
  /** An identifier. */
  name: string;
  /** Names that are not identifiers are changed as in `@cloudflare/codemode`: `list-files` becomes `list_files`. */
  fns: Record<string, (...args: unknown[]) => Promise<unknown>>;
  /** Guest code that runs before the code. It can add functions to the namespace. */
  prelude?: string;
}

/** Bindings of Cloudflare Workers, which do not exist in Node.js. */
export interface ExecuteOptions {
  connectors?: { name: string; binding: { callTool(method: string, args: unknown): Promise<unknown> } }[];
}

/** Limits and modules of each execution, or an executor with its own. */
export interface CodemodeExecutorOptions extends ExecutorOptions {
  /**
   * The executor that runs the code. It is cleaned up before and after each execution. Executions take turns with each
   * other and with code tools that use the same executor.
   */
  executor?: Executor | undefined;
}

/**
 * An `Executor` of `@cloudflare/codemode`. Each execution has its own isolate, so executions share nothing and may
 * overlap.
 *
 * @example
 * ```js
 * const executor = new SESCodemodeExecutor({ timeoutMs: 30_000 });
 * const { result } = await executor.execute('async () => codemode.add(1, 2)', { add: async (a, b) => a + b }); // 3
 * ```
 */
export class SESCodemodeExecutor {
  /**
   * @throws `TypeError` or `RangeError`, as the constructor of `SESExecutor`
   */
  constructor(options?: CodemodeExecutorOptions);

  /**
   * Runs code that is an async arrow function, the form that `@cloudflare/codemode` requests from models. Any other
   * function is called too. The result of a program is the value of its `return` or of its last expression, which must
   * not be a function. A Markdown fence around the code is removed.
   *
   * Never rejects: wrong arguments are also an `error` of the result.
   *
   * @param providersOrFns - namespaces, or the functions of the namespace `codemode`
   * @param options - connectors are rejected
   */
  execute(
    code: string,
    providersOrFns: readonly ResolvedProvider[] | ResolvedProvider['fns'],
    options?: ExecuteOptions,
  ): Promise<ExecuteResult>;
}
