// Types that callers of the code tool pass and receive, in all frameworks.

import type { ContentBlock } from '../../contract/content';
import type { ExecutorOptions, Language } from '../../contract/executor-options';
import type { Executor } from '../../contract/executor-types';
import type { Plan } from '../../contract/plan';
import type { RunFailure } from '../../contract/run-failure';
import type { TASK, TaskProgram } from '../../contract/task-programs';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { Tools } from '../../contract/tool-types';
import type { PyodideExecutorOptions } from '../../python/options';
import type { JsonSchema, StandardSchema } from '../prompts/tool-definition';

/* eslint-disable @typescript-eslint/no-explicit-any -- hosts have their own contexts, and tools declare their inputs */

/** The context that a tool receives in addition to its input. */
export interface CallContext<Context = any> {
  /** The input as the code passed it, before a Standard Schema transformed it. */
  input: unknown;
  /** The id of this call. Each call that code makes has its own. */
  toolCallId: string;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** The `context` that was passed to `execute` of the code tool for this run. */
  context: Context;
  /** Asks for approval of a call, as `needsApproval` does. Rejects if the call must not be made. */
  approve(name: string, input: unknown): Promise<void>;
}

/** A tool that code calls as `await name(input)`. */
export interface CodeToolDefinition<Context = any> {
  /** The name of a tool in a list. */
  name?: string | undefined;
  /** Same as `name`: the property that Mastra's tools use. */
  id?: string | undefined;
  description?: string | undefined;
  /**
   * The input of the tool, as JSON Schema or as a Standard Schema. Each input is checked before the call. A JSON Schema
   * checks a JSON copy of the input, and the tool gets that copy. Inputs are not checked if there is no schema or the
   * schema is unusable. Python's `None` omits an optional property that does not accept `null`.
   */
  inputSchema?: JsonSchema | StandardSchema | undefined;
  /** Alternative names for `inputSchema`. */
  input_schema?: JsonSchema | StandardSchema | undefined;
  parameters?: JsonSchema | StandardSchema | undefined;
  schema?: JsonSchema | StandardSchema | undefined;
  /** The output of the tool. */
  outputSchema?: JsonSchema | StandardSchema | undefined;
  output_schema?: JsonSchema | StandardSchema | undefined;
  /** Whether a person must approve a call: see {@link CodeToolOptions.approve}. */
  needsApproval?: boolean | ((input: any, context: CallContext<Context>) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * Returns the result, a promise of the result, or an async iterable whose last item is the result. Streams of bytes
   * or of parts of a string are not accepted.
   */
  execute(input: any, context: CallContext<Context>): unknown;
}

/** What tools of frameworks that have no approvals can have in addition. */
export interface ApprovableTool<Context = any> {
  /**
   * Whether a person must approve a call: see {@link CodeToolSettings.approve}. A function gets the input and the
   * context that the framework passes to the tool.
   */
  needsApproval?: boolean | ((input: any, context: Context) => boolean | PromiseLike<boolean>) | undefined;
}

/**
 * Functions, and namespaces of functions: code calls `files.read(...)`. Functions are declared with arbitrary
 * arguments, except those of `createFileTools`.
 */
export type CodeFunctions = ((...args: any[]) => unknown) | (Readonly<Tools> & { readonly execute?: never });

/** Tools, functions and namespaces by the name that code uses for them, or a list of named tools. */
export type CodeTools<Context = any> =
  | Readonly<Record<string, CodeToolDefinition<Context> | CodeFunctions>>
  | readonly (CodeToolDefinition<Context> & ({ name: string } | { id: string }))[];

/** A call that a person must approve. */
export interface ApprovalRequest<Context = any> {
  name: string;
  input: unknown;
  /** All calls that the program can make, including this one. */
  plan: Plan;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  context: Context;
}

/**
 * Approves a call by returning `true`, or by returning `"plan"`, which also approves all further calls of the run that
 * are in the plan. Any other value refuses the call.
 */
export type Approve = (request: ApprovalRequest) => boolean | 'plan' | PromiseLike<boolean | 'plan'>;

/**
 * Decides whether a program runs, before it runs. The plan names all tools that it can call. Unless the result is
 * `true`, the program fails with an `ApprovalError` whose code is `ERR_NOT_APPROVED`.
 */
export type ApprovePlan = (request: { code: string; plan: Plan }) => boolean | PromiseLike<boolean>;

/** The option `approvePlan` of code modes: the run of an approved program is held to its plan. */
export interface ApprovePlanOption {
  /**
   * Decides on each program before it runs, for example by asking a person. The run is held to the plan that was
   * approved: a call that is not in it is not made, and fails in the code with `ERR_CALL_NOT_PLANNED`. The wait does
   * not count against `timeoutMs`. For executors of this package that run JavaScript.
   */
  approvePlan?: ApprovePlan | undefined;
}

/**
 * Options of the code tools of all frameworks. Without `executor`, they include the options of the executors that the
 * tool creates.
 */
export interface CodeToolSettings
  extends Omit<ExecutorOptions, 'language'>, Omit<PyodideExecutorOptions, keyof ExecutorOptions> {
  /**
   * The language of the code: a language of `SESExecutor`, or `"python"`, which `ses-executor/python` runs. Python has
   * no folder unless `workDir` or `mount` specifies one. Default `"auto"`.
   */
  language?: Language | 'python' | undefined;
  /** Name of the tool. Default `"run_javascript"`, or `"run_python"`. */
  name?: string | undefined;
  /**
   * The executor that runs the code. Default: a new executor for each call.
   *
   * Variables persist between the calls of a shared executor. Calls share a queue with all other code tools, MCP
   * servers, codemode executors and agent executors that use the same executor. Code can call only the tools of its
   * own code tool, so tools can be created for each request and bound to a user. Values that runs leave in the realm
   * are shared.
   *
   * A tool must not run code in the executor that is waiting for the tool. The executor is initialized on first use.
   * The caller is responsible for cleaning it up. If a run leaves the executor `DIRTY`, the executor is recreated
   * without the variables that the caller had sent.
   *
   * A function returns the executor of a call. It receives the context that the framework passes to tools, or the
   * `context` of `execute`. It can thus return one executor for each conversation or user.
   */
  executor?: Executor | ((context: any) => Executor | PromiseLike<Executor>) | undefined;
  /**
   * Creates the description of the tool from the declarations of the other tools. Default: a description that explains
   * how to use the tool and what else code can use. It lists the modules that code may import. It also lists the
   * variables and tools that `executor` has when the code tool is created.
   */
  description?: ((declarations: string) => string) | undefined;
  // Generated by scripts/generate.mjs: CodeToolSettings.
  /**
   * Maximum length of the output that the model receives, and of the logs, in UTF-16 code units. Longer strings lose
   * their middle. Lists that are far longer lose their end too, and the model is informed. An integer >= 100; default
   * 20,000.
   */
  maxOutputChars?: number | undefined;
  /**
   * Maximum length of the declarations in the description, in UTF-16 code units. If the declarations of all functions
   * are longer, the description has an index of the functions instead, and code has `tools.search(words)` and
   * `tools.describe(name)`. If there is a tool or variable named `tools`, they are in `toolbox`. An integer >= 0, or
   * `Infinity`; default 8,000.
   *
   * Both functions answer on the host. `onToolCall` and `approve` are not called for them. They count towards
   * `maxToolCalls`.
   */
  maxDeclarationChars?: number | undefined;
  // End of CodeToolSettings.
  /**
   * Called before each call of a tool that needs approval. The guest waits for the result. The wait counts against
   * `timeoutMs` unless `toolTimeoutMs` limits calls.
   *
   * Without this option, such calls fail in the guest with an `ApprovalError` whose code is `ERR_NOT_APPROVED`. The
   * error tells the model to call the tool directly. In a `DurableSession`, they pause the program until somebody
   * answers. `onToolCall` covers all calls.
   */
  approve?: Approve | undefined;
  /**
   * Whether each run is held to its plan, as with `plan` of `RunOptions`. A tool call that is not in the plan is not
   * made: it fails in the code with `ERR_CALL_NOT_PLANNED`. Not possible for Python, whose programs have no plans.
   * Default `false`.
   */
  enforcePlan?: boolean | undefined;
}

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions<Context = any> extends CodeToolSettings {
  /**
   * The tools that code can call. A name that is not an identifier is changed: `list-files` becomes `list_files`, and
   * `delete` becomes `delete_`. In Python, `del` becomes `del_`.
   */
  tools: CodeTools<Context>;
}

/**
 * The result of a call: `error` if the call failed, `waiting` if the program of a `DurableSession` has not ended,
 * otherwise `output`.
 */
export type CodeToolResult =
  | {
      /**
       * The output as data: strings, numbers, lists and objects. Values that JSON cannot represent have the form that
       * the guide describes. Only parts without data, such as functions, are strings. If the output is long, it is the
       * shortened text that `util.inspect` returns.
       */
      output: unknown;
      /** The lines that the code logged. */
      logs: string;
      /**
       * States that the values of earlier runs are lost, if no earlier result has stated it. The hint of an `error`
       * states it too.
       */
      note?: string;
      /** The whole result as the model reads it, except `content`. */
      text: string;
      /**
       * Images, audio, files and texts that the code has shown with `display` or returned as its output. The output
       * has a description in their place. Absent if there are none.
       */
      content?: readonly ContentBlock[];
    }
  | {
      /** The calls that the program waits for. A call of the tool with the same code continues the program. */
      waiting: readonly WaitingCall[];
      logs: string;
      note?: string;
      text: string;
    }
  | { error: RunFailure; logs: string; text: string; content?: readonly ContentBlock[] };

/** Options of one call. */
export interface CallOptions<Context = any> {
  /** Aborting this signal ends the run. */
  signal?: AbortSignal | undefined;
  /** Passed on to the tools. */
  context?: Context | undefined;
  /**
   * Answers calls of a program of a `DurableSession` that waits. It is called if the code is that of the program, and
   * returns answers to some or all of its calls, by their keys. The program continues after these calls. Without
   * answers, the result is `waiting` again.
   */
  answer?: ((calls: readonly WaitingCall[]) => Record<string, Answer> | undefined) | undefined;
  /**
   * Whether the code is that of a program that waits. If the program does not wait any more, nothing runs, and the
   * result is a failure. Otherwise the program would start again. Default `false`.
   */
  continues?: boolean | undefined;
  /** @internal */
  [TASK]?: TaskProgram | undefined;
  /**
   * Called at most once every 100 ms, after the code has logged a line, called `progress` or called a tool, or after a
   * call has ended. Log lines are reported only if the code tool has created the executor.
   */
  onProgress?: ((progress: RunProgress) => void) | undefined;
}

/** What a run has done so far. */
export interface RunProgress {
  /** The lines that the code has logged, or the end of them: at most `maxOutputChars` UTF-16 code units. */
  logs: string;
  /** How many calls of tools have begun. */
  calls: number;
  /** The names of the tools whose calls have not ended. */
  running: readonly string[];
  /** The last text that the code has passed to `progress`: at most 1,000 UTF-16 code units. */
  message?: string;
  /** The part of the work that is done, from 0 to 1, as the code has last reported it. */
  fraction?: number;
}

/** A tool that takes code, for any framework. */
export interface CodeTool<Context = any> {
  name: string;
  /** Declares the tools according to their schemas. */
  description: string;
  /** JSON Schema of `{ code: string }`. */
  inputSchema: {
    type: 'object';
    properties: { code: { type: 'string'; description: string } };
    required: ['code'];
    additionalProperties: false;
  };
  /**
   * Runs code. A failure of the code is a result. The promise rejects only if the calling program is wrong, or if the
   * caller's executor rejects with an error that is not an `ExecutorError`.
   */
  execute(code: string, options?: CallOptions<Context>): Promise<CodeToolResult>;
  /**
   * The tools that the code can call, without running it: the plan that approval requests of this code would carry. If
   * `executor` is a function, it gets `options.context`.
   */
  plan(code: string, options?: Pick<CallOptions<Context>, 'context'>): Promise<Plan>;
}
