// Tools as callers pass them, and the hook that decides on their calls.

/**
 * Host functions by the name that guest code calls them by, or namespaces of such functions: plain objects, nested to
 * any depth up to 32. A first name that is no identifier, such as `read-file` or `delete`, can be called through
 * `globalThis` only: `globalThis["read-file"]()`.
 *
 * An `async` function gives the guest a promise at once. Any other function is called while the guest waits, and gives
 * it the value, or a promise if it returned one; of a {@link blocking} one, what the promise gives. Functions are called with their namespace as `this`. Arguments and
 * results are structured clones (section 7.4), arguments as {@link CodeOutput.output} says.
 *
 * For TypeScript an object whose type is an `interface` has no index signature: write the type as `type`, or pass `{ ...api }`; the same goes for
 * variables.
 */
export interface Tools {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the parameters that they expect
  [name: string]: ((...args: any[]) => unknown) | Tools;
}

/** A tool call of guest code, as {@link ExecutorOptions.onToolCall} is told of it. */
export interface ToolCall {
  /** The tool, with its namespaces: `Host.readDoc`. */
  name: string;
  /** Structured clones, those that the tool gets. */
  args: unknown[];
  /** Tells the calls of this process apart. */
  id: string;
  /** Aborted when the run ends, or {@link ExecutorOptions.toolTimeoutMs} is over. */
  signal: AbortSignal;
}

/** What {@link ExecutorOptions.onToolCall} decides: `void` allows the call, the others replace a part of it. */
export type ToolCallDecision = void | { args: readonly unknown[] } | { result: unknown };

/** Decides on a tool call: see {@link ExecutorOptions.onToolCall}. */
export type OnToolCall = (call: ToolCall) => ToolCallDecision | PromiseLike<ToolCallDecision>;
