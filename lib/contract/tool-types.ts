// Tools as callers pass them, and the hook that decides on their calls.

/**
 * Host functions, keyed by the names that guest code uses. A value can also be a namespace: a plain object of
 * functions, nested up to 32 levels. A top-level name that is not an identifier, such as `read-file` or `delete`, can
 * be called through `globalThis` only: `globalThis["read-file"]()`.
 *
 * - An `async` function returns a promise to the guest immediately.
 * - Any other function is called while the guest waits. The guest receives the value, or a promise if the function
 *   returned one.
 * - For a {@link blocking} function the guest waits until the promise settles, and receives its value.
 *
 * Functions are called with their namespace as `this`. Arguments and results are structured clones (section 7.4);
 * {@link CodeOutput.output} describes how arguments are cloned.
 *
 * In TypeScript, an object whose type is an `interface` has no index signature. Declare it as a `type`, or pass `{
 * ...api }`. The same applies to variables.
 */
export interface Tools {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the parameters that they expect
  [name: string]: ((...args: any[]) => unknown) | Tools;
}

/** A tool call of guest code, as reported to {@link ExecutorOptions.onToolCall}. */
export interface ToolCall {
  /** The tool, with its namespaces: `Host.readDoc`. */
  name: string;
  /** The structured clones that the tool receives. */
  args: unknown[];
  /** Unique among the calls of this process. In a `DurableSession` it is the key of the call. */
  id: string;
  /** Aborted when the run ends, or when {@link ExecutorOptions.toolTimeoutMs} has passed. */
  signal: AbortSignal;
}

/**
 * Decision of {@link ExecutorOptions.onToolCall}: nothing allows the call; an object replaces its arguments or its
 * result. In a `DurableSession`, `wait` pauses the call until somebody answers or approves it. They see the value of
 * `wait`.
 */
export type ToolCallDecision = void | { args: readonly unknown[] } | { result: unknown } | { wait: unknown };

/** Decides on a tool call: see {@link ExecutorOptions.onToolCall}. */
export type OnToolCall = (call: ToolCall) => ToolCallDecision | PromiseLike<ToolCallDecision>;
