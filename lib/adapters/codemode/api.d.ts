/**
 * `ses-executor/codemode`: runs the code of `@cloudflare/codemode` in Node.js.
 *
 * The declarations here are those of `@cloudflare/codemode`, which cannot be loaded in Node.js as a whole; its parts
 * `/browser` and `/mcp` can.
 *
 * @packageDocumentation
 */

import type { Executor, ExecutorOptions } from '../../../index';

/** What an execution gives. */
export interface ExecuteResult {
  /**
   * What the function returned, if JSON says it wholly and briefly; else the text that `util.inspect` gives, cut if it is long;
   * `undefined` if it returned nothing, or there is an `error`.
   */
  result: unknown;
  /** The failure for the model: code, message, place, the lines of code around it, what to do. */
  error?: string;
  /** Console calls; those of `console.warn` and `console.error` begin with `[warn] ` and `[error] `. */
  logs?: string[];
}

/** Functions that code can call as `name.function(...)`. */
export interface ResolvedProvider {
  /** An identifier. */
  name: string;
  /** Names that are no identifiers are changed as `@cloudflare/codemode` does: `list-files` is `list_files`. */
  fns: Record<string, (...args: unknown[]) => Promise<unknown>>;
  /** Guest code that runs before the code does, and can add functions to the namespace. */
  prelude?: string;
}

/** Bindings of Cloudflare Workers, which there are not in Node.js. */
export interface ExecuteOptions {
  connectors?: { name: string; binding: { callTool(method: string, args: unknown): Promise<unknown> } }[];
}

/** Limits and modules of each execution, or an executor that has its own. */
export interface CodemodeExecutorOptions extends ExecutorOptions {
  /**
   * Where code runs; it is cleaned up before and after each execution, and executions take turns, with all that code tools do in
   * the same one.
   */
  executor?: Executor | undefined;
}

/**
 * An `Executor` of `@cloudflare/codemode`. Each execution has an isolate of its own, so that executions share nothing
 * and may overlap.
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
   * Runs code that is an async arrow function, as `@cloudflare/codemode` asks models for. Any other function is called
   * too; a program gives what `return` or its last expression gives, which must not be a function. A Markdown fence around
   * the code is left out.
   *
   * Never rejects: also wrong arguments are an `error` of the result.
   *
   * @param providersOrFns - namespaces, or the functions of the namespace `codemode`
   * @param options - connectors are refused
   */
  execute(
    code: string,
    providersOrFns: readonly ResolvedProvider[] | ResolvedProvider['fns'],
    options?: ExecuteOptions,
  ): Promise<ExecuteResult>;
}
