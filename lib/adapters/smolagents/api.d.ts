/**
 * The executor of a smolagents-ts `CodeAgent`: what the agent calls, and nothing that it would have to know of.
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
import { PyodideExecutor, PyodideExecutorOptions } from '../../python/api';
import { ToolInput, ToolTypeName } from '../prompts/api';

/** A tool of smolagents-ts, as far as the executor needs it: any `BaseTool` is one. */
export interface SmolagentsTool {
  name: string;
  description?: string;
  inputs: Readonly<Record<string, ToolInput>>;
  output_type?: ToolTypeName;
  /** Called with one object that has a value for each input. */
  // `any`: tools declare the arguments that they expect.
  forward(args: any): unknown;
}

/**
 * A managed agent, as far as the executor needs it. Guest code calls it as `name(task, additional_args)`, or with one
 * object of both.
 */
export interface ManagedAgent {
  name: string;
  run(task: string, options: { additional_args?: Record<string, unknown>; reset: true }): unknown;
}

/** What can become a function of guest code. */
export type SmolagentsCallable = SmolagentsTool | ManagedAgent | ((...args: any[]) => unknown);

/** Tools by the name that guest code calls them by, with namespaces, as for `SESExecutor.sendTools`. */
export interface SmolagentsToolRecord {
  [name: string]: SmolagentsCallable | SmolagentsToolRecord;
}

/** Tools in a list, by their own names (`Host.readDoc` is in the namespace `Host`), or by name. */
export type SmolagentsTools =
  readonly (SmolagentsTool | ManagedAgent)[] | ReadonlyMap<string, SmolagentsCallable> | SmolagentsToolRecord;

/** Options of an executor for agents that write Python. */
export interface PythonSmolagentsExecutorOptions extends PyodideExecutorOptions {
  language: 'python';
  /** As {@link SmolagentsExecutorOptions.tools}. */
  tools?: SmolagentsTools | undefined;
}

/**
 * What `new SmolagentsExecutor({ language: 'python' })` gives: a `PyodideExecutor` that takes Tool objects. Tools are
 * called as functions of Python, with arguments one by one or by keywords.
 */
export interface PythonSmolagentsExecutor extends Omit<PyodideExecutor, 'sendTools'> {
  sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void>;
}

/** Options of the executor; `autoInit` is on unless it is `false`. */
export interface SmolagentsExecutorOptions extends ExecutorOptions {
  /**
   * Tools that every isolate of this executor has. The agent itself sends `{}`, the tools whose source is Python, so its
   * JavaScript tools have to be given here. A name that is given here keeps its meaning whatever `sendTools` brings.
   */
  tools?: SmolagentsTools | undefined;
  /**
   * Where code runs, instead of an executor of its own; the other options, but for `tools` and `autoInit`, are its own then. A
   * `BrowserExecutor` has to have `isolation: 'session'`: the steps of an agent build on each other.
   *
   * Calls take turns, with those of all others that have the same one (code tools, MCP servers, codemode executors): code can call
   * the tools of its own agent only; variables, and what runs leave, they share. A tool must not call the executor that waits for it.
   */
  executor?: Executor | undefined;
}

/**
 * An executor that a `CodeAgent` can be made with: the agent calls `sendVariables(state)`, `sendTools({}, pythonTools)`
 * and `run(code)` in each step.
 *
 * `init()` is not needed. After a run that left the executor `DIRTY`, such as a timeout, the next call makes a new
 * isolate with the tools of the options and those that were sent; what guest code had defined is lost, and the failure says so. Where no
 * run has failed, since a worker process has ended between two, the next one says it, in its logs. With `autoInit: false` both is up to the
 * caller, as with {@link SESExecutor}.
 *
 * @example
 * ```js
 * const agent = new CodeAgent({ model, tools, executor: new SmolagentsExecutor({ tools }) });
 * ```
 */
export class SmolagentsExecutor implements Executor {
  /**
   * With `language: 'python'` it is a {@link PythonSmolagentsExecutor}, as whose type `createSmolagentsExecutor` gives it.
   *
   * @throws `TypeError` or `RangeError` as `SESExecutor`, and for what {@link toHostTools} refuses
   */
  constructor(options?: SmolagentsExecutorOptions | PythonSmolagentsExecutorOptions);

  get state(): ExecutorState;

  /** Where the isolate lives; `"session"` in a page; undefined with an executor that does not say it. */
  get isolation(): Isolation | PyodideExecutor['isolation'] | 'session' | undefined;

  init(): Promise<void>;

  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /**
   * Defines functions that guest code can call: functions as they are, tools and agents by {@link toHostTools}.
   *
   * Rejects as `SESExecutor.sendTools`, and with a `TypeError` with the code `ERR_PYTHON_TOOL` (and `tools`, the names)
   * if `pythonTools` has any that are no functions here: sources in Python cannot run here. Of a tool that has both, `pythonCode` and
   * `forward`, the latter is called.
   */
  sendTools(tools: SmolagentsTools, pythonTools?: Readonly<Record<string, string>>): Promise<void>;

  /**
   * As `SESExecutor.run`. The enumerable fields of the output are `output`, `logs` and `is_final_answer`, those of
   * smolagents; `logEntries` and `stats` are there too.
   */
  run(code: string, options?: RunOptions): Promise<CodeOutput>;

  cleanup(): Promise<void>;

  /** `cleanup()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * `new SmolagentsExecutor(options)`. Where an executor of the agent's own class is expected, which has private members that no other
 * class can have, it has that type: `new CodeAgent({ model, tools, executor: createSmolagentsExecutor({ tools }) })` compiles.
 */
export function createSmolagentsExecutor<AgentExecutor = PythonSmolagentsExecutor>(
  options: PythonSmolagentsExecutorOptions,
): AgentExecutor;
export function createSmolagentsExecutor<AgentExecutor = SmolagentsExecutor>(
  options?: SmolagentsExecutorOptions,
): AgentExecutor;

/** What a {@link JavaScriptCodeAgent} is made with beside the configuration of the `CodeAgent`. */
export interface JavaScriptCodeAgentConfig {
  /** Where code runs. Default: a {@link SmolagentsExecutor} with the agent's tools and managed agents. */
  executor?: ICodeExecutor | undefined;
  /** Options of that default. */
  executor_options?: Omit<SmolagentsExecutorOptions, 'tools' | 'executor'> | undefined;
}

/** The class that {@link JavaScriptCodeAgent} makes: a `CodeAgent` with another configuration. */
export type JavaScriptCodeAgentClass<Base extends abstract new (config: any) => any> = Omit<Base, 'prototype'> &
  (new (
    config: Omit<ConstructorParameters<Base>[0], keyof JavaScriptCodeAgentConfig> & JavaScriptCodeAgentConfig,
  ) => InstanceType<Base> & { cleanup(): Promise<void> });

/**
 * A `CodeAgent` of smolagents-ts whose model writes JavaScript: with the JavaScript prompt, its tools and managed agents as functions,
 * and an executor. Errors of the code, and answers without code, are observations that the model can correct itself by, where
 * the `CodeAgent` itself ends.
 *
 * @example
 * ```js
 * const agent = new (JavaScriptCodeAgent(CodeAgent))({ model, tools: [search], executor_options: { timeoutMs: 30_000 } });
 * const answer = await agent.run('Which city grew most?');
 * await agent.cleanup();
 * ```
 */
export function JavaScriptCodeAgent<Base extends abstract new (config: any) => any>(
  CodeAgent: Base,
): JavaScriptCodeAgentClass<Base>;

/**
 * Tools as functions for `SESExecutor.sendTools`.
 *
 * A tool can be called with its arguments one by one, in the order of its inputs, or with one plain object that names
 * them: `search('x', 3)`, `search({ query: 'x', limit: 3 })`. If the first input may be an object itself, one object
 * counts as named arguments only if it has no other keys than names of inputs, and all those that are required:
 * of `save(record)` the call `save({ a: 1 })` gives the record, and so does `save({ record: { a: 1 } })`.
 *
 * Inputs that are left out get a copy of their `default`, or `null` if they are `nullable`. Guest code gets a `TypeError`
 * that names tool and argument for one that is missing, unknown or of another type; `forward` is not called then.
 *
 * @throws `TypeError` that names the path of what is no tool, and types of inputs that do not exist
 */
export function toHostTools(tools: SmolagentsTools): Tools;

/**
 * What the agent's next prompt says of a run, in the words of smolagents:
 * `Execution logs:\n…\nLast output from code snippet:\n…`, without the second part if the output is `undefined`.
 *
 * Strings are shown as they are, values that JSON can say as JSON with an indent of 2, others as `util.inspect` does. Of logs and of an
 * output of more than 20,000 characters the middle is left out.
 */
export function formatObservation(result: { output?: unknown; logs: string }): string;

/**
 * What the agent's next prompt says of a step that failed: logs, if there are any, the message, the place in the code or
 * what validation found, and what to do next. For errors of `run()`, and of `parseCodeBlobs` of `ses-executor/prompts`.
 */
export function formatErrorObservation(error: unknown): string;
