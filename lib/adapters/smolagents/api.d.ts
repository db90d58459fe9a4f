/**
 * The executor of a smolagents-ts `CodeAgent`. It implements the methods that the agent calls. The agent needs no
 * changes.
 *
 * @packageDocumentation
 */

import {
  CodeOutput,
  Executor,
  ExecutorOptions,
  ExecutorState,
  ICodeExecutor,
  Isolation,
  RunOptions,
  Tools,
} from '../../../index';
import { PyodideExecutor, PyodideExecutorOptions } from '../../python';
import { ToolInput, ToolTypeName } from '../prompts/api';

/** A tool of smolagents-ts, reduced to the members that the executor needs. Any `BaseTool` is accepted. */
export interface SmolagentsTool {
  name: string;
  description?: string;
  inputs: Readonly<Record<string, ToolInput>>;
  output_type?: ToolTypeName;
  /** Receives one object that has a value for each input. */
  // `any`: tools declare the arguments that they expect.
  forward(args: any): unknown;
}

/**
 * A managed agent, reduced to the members that the executor needs. Guest code calls it as `name(task,
 * additional_args)`, or with one object that contains both.
 */
export interface ManagedAgent {
  name: string;
  run(task: string, options: { additional_args?: Record<string, unknown>; reset: true }): unknown;
}

/** Values that can become a function of guest code. */
export type SmolagentsCallable = SmolagentsTool | ManagedAgent | ((...args: any[]) => unknown);

/** Tools by the name that guest code uses for them, including namespaces, as for `SESExecutor.sendTools`. */
export interface SmolagentsToolRecord {
  [name: string]: SmolagentsCallable | SmolagentsToolRecord;
}

/** Tools in a list, by their own names (`Host.readDoc` is in the namespace `Host`), or an object of tools by name. */
export type SmolagentsTools =
  readonly (SmolagentsTool | ManagedAgent)[] | ReadonlyMap<string, SmolagentsCallable> | SmolagentsToolRecord;

/** Options of an executor for agents that write Python. */
export interface PythonSmolagentsExecutorOptions extends PyodideExecutorOptions {
  language: 'python';
  /** See {@link SmolagentsExecutorOptions.tools}. */
  tools?: SmolagentsTools | undefined;
}

/**
 * The type of `new SmolagentsExecutor({ language: 'python' })`: a `PyodideExecutor` that accepts Tool objects. Python
 * code calls tools as functions, with positional or keyword arguments.
 */
export interface PythonSmolagentsExecutor extends Omit<PyodideExecutor, 'sendTools'> {
  sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void>;
}

/** Options of the executor. `autoInit` is enabled unless it is `false`. */
export interface SmolagentsExecutorOptions extends ExecutorOptions {
  /**
   * Tools that every isolate of this executor has. The agent itself sends only the tools whose source is Python,
   * usually `{}`. JavaScript tools must therefore be passed here. A name that is defined here keeps its meaning
   * whatever `sendTools` sends.
   */
  tools?: SmolagentsTools | undefined;
  /**
   * The executor that runs the code, instead of a new one. Its own options then apply, so only `tools` and `autoInit`
   * are allowed in addition. A `BrowserExecutor` needs `isolation: 'session'`, because the steps of an agent build on
   * each other.
   *
   * Calls take turns with all other users of the same executor: code tools, MCP servers and codemode executors. Code
   * can call only the tools of its own agent. Variables and other values that runs leave are shared. A tool must not
   * call the executor that is waiting for the tool.
   */
  executor?: Executor | undefined;
}

/**
 * An executor for a `CodeAgent`. In each step, the agent calls `sendVariables(state)`, `sendTools({}, pythonTools)` and
 * `run(code)`.
 *
 * `init()` is not needed. If a run leaves the executor `DIRTY`, for example after a timeout, the next call creates a
 * new isolate. The new isolate has the tools of the options and the tools that were sent. Definitions of the guest code
 * are lost, and the failure states this. If a worker process ended between two runs, no run has failed. The next run
 * then states the loss in its logs.
 *
 * With `autoInit: false`, the caller does both, as with {@link SESExecutor}.
 *
 * @example
 * ```js
 * const agent = new CodeAgent({ model, tools, executor: new SmolagentsExecutor({ tools }) });
 * ```
 */
export class SmolagentsExecutor implements Executor {
  /**
   * With `language: 'python'`, the result is a {@link PythonSmolagentsExecutor}. `createSmolagentsExecutor` returns it
   * with this type.
   *
   * @throws `TypeError` or `RangeError` as `SESExecutor`, and for values that {@link toHostTools} rejects
   */
  constructor(options?: SmolagentsExecutorOptions | PythonSmolagentsExecutorOptions);

  get state(): ExecutorState;

  /** The location of the isolate. `"session"` in a page; undefined if the executor does not report it. */
  get isolation(): Isolation | PyodideExecutor['isolation'] | 'session' | undefined;

  init(): Promise<void>;

  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /**
   * Defines functions that guest code can call. Functions are sent unchanged, tools and agents through
   * {@link toHostTools}.
   *
   * Rejects as `SESExecutor.sendTools`. Also rejects with a `TypeError` with the code `ERR_PYTHON_TOOL` if
   * `pythonTools` contains tools that are not functions here. Its `tools` property lists their names. Python sources
   * cannot run here. If a tool has both `pythonCode` and `forward`, `forward` is called.
   */
  sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void>;

  /**
   * Same as `SESExecutor.run`. The enumerable fields of the output are those of smolagents: `output`, `logs` and
   * `is_final_answer`. `logEntries` and `stats` are available too.
   */
  run(code: string, options?: RunOptions): Promise<CodeOutput>;

  cleanup(): Promise<void>;

  /** Calls `cleanup()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Returns `new SmolagentsExecutor(options)`. An agent may require its own executor class, whose private members no
 * other class can have. The result has that type, so this expression compiles:
 * `new CodeAgent({ model, tools, executor: createSmolagentsExecutor({ tools }) })`.
 */
export function createSmolagentsExecutor<AgentExecutor = PythonSmolagentsExecutor>(
  options: PythonSmolagentsExecutorOptions,
): AgentExecutor;
export function createSmolagentsExecutor<AgentExecutor = SmolagentsExecutor>(
  options?: SmolagentsExecutorOptions,
): AgentExecutor;

/** Options of a {@link JavaScriptCodeAgent} in addition to the configuration of the `CodeAgent`. */
export interface JavaScriptCodeAgentConfig {
  /**
   * The executor that runs the code. Default: a {@link SmolagentsExecutor} with the agent's tools and managed agents.
   */
  executor?: ICodeExecutor | undefined;
  /** Options of the default executor. */
  executor_options?: Omit<SmolagentsExecutorOptions, 'tools' | 'executor'> | undefined;
}

/** The class that {@link JavaScriptCodeAgent} returns: a `CodeAgent` with a different configuration. */
export type JavaScriptCodeAgentClass<Base extends abstract new (config: any) => any> = Omit<Base, 'prototype'> &
  (new (
    config: Omit<ConstructorParameters<Base>[0], keyof JavaScriptCodeAgentConfig> & JavaScriptCodeAgentConfig,
  ) => InstanceType<Base> & { cleanup(): Promise<void> });

/**
 * Returns a `CodeAgent` class of smolagents-ts whose model writes JavaScript. The agent has the JavaScript prompt, an
 * executor, and its tools and managed agents as functions. Errors of the code and answers without code become
 * observations, so that the model can correct itself. The `CodeAgent` itself ends in these cases.
 *
 * @example
 * ```js
 * const Agent = JavaScriptCodeAgent(CodeAgent);
 * const agent = new Agent({ model, tools: [search], executor_options: { timeoutMs: 30_000 } });
 * const answer = await agent.run('Which city grew most?');
 * await agent.cleanup();
 * ```
 */
export function JavaScriptCodeAgent<Base extends abstract new (config: any) => any>(
  CodeAgent: Base,
): JavaScriptCodeAgentClass<Base>;

/**
 * Converts tools to functions for `SESExecutor.sendTools`.
 *
 * A tool can be called with positional arguments in the order of its inputs, or with one plain object that names them:
 * `search('x', 3)`, `search({ query: 'x', limit: 3 })`. If the first input may be an object itself, a single object is
 * ambiguous. It is treated as named arguments only if it contains all required inputs and no unknown keys. With
 * `save(record)`, both `save({ a: 1 })` and `save({ record: { a: 1 } })` pass the record.
 *
 * Omitted inputs receive a copy of their `default`, or `null` if they are `nullable`. An argument that is missing,
 * unknown or of a wrong type throws a `TypeError` in guest code that names the tool and the argument. `forward` is not
 * called then.
 *
 * @throws `TypeError` that names the path of a value that is not a tool, and for unknown types of inputs
 */
export function toHostTools(tools: SmolagentsTools): Tools;

/**
 * Formats the result of a run for the agent's next prompt, in the wording of smolagents: `Execution logs:\n…\nLast
 * output from code snippet:\n…`. The second part is omitted if the output is `undefined`.
 *
 * Strings are shown unchanged. Values that JSON can represent are shown as JSON with an indent of 2, other values as
 * `util.inspect` formats them. Logs and outputs of more than 20,000 characters lose their middle.
 */
export function formatObservation(result: { output?: unknown; logs: string }): string;

/**
 * Formats a failed step for the agent's next prompt: the logs if there are any, the message, the location or the
 * validation findings, and a hint. Accepts errors of `run()`, and of `parseCodeBlobs` of `ses-executor/prompts`.
 */
export function formatErrorObservation(error: unknown): string;
