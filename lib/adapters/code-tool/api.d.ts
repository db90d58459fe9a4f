/**
 * `ses-executor/code-tool`: a tool by which a model calls other tools from code, for any framework.
 *
 * `ses-executor/ai`, `/openai-agents`, `/langchain`, `/mastra` and `/anthropic` make it a tool of theirs.
 *
 * @packageDocumentation
 */

import type { Executor, ExecutorOptions, Language, Tools } from '../../../index';
import type { PyodideExecutorOptions } from '../../python/api';
import type { RunFailure } from '../../contract/run-failure';
import type { JsonSchema } from '../prompts/api';

export type { RunFailure };

/** A schema of zod, Valibot, ArkType and others: see https://standardschema.dev. */
export interface StandardSchema<Output = any> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => any;
    readonly types?: { readonly input: any; readonly output: Output } | undefined;
  };
}

/** What a tool is called with, beside its input. */
export interface CallContext<Context = any> {
  /** What code has given, before a Standard Schema has changed it. */
  input: unknown;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** What `execute` of the code tool was given for this run. */
  context: Context;
  /** Asks for a call as `needsApproval` does. Rejects if it must not be made. */
  approve(name: string, input: unknown): Promise<void>;
}

/** A tool that code calls as `await name(input)`. */
export interface CodeToolDefinition<Context = any> {
  /** For tools in a list. */
  name?: string | undefined;
  /** The same, as Mastra's tools have it. */
  id?: string | undefined;
  description?: string | undefined;
  /**
   * What the tool takes: JSON Schema, or a Standard Schema, by which the input is checked before each call. By JSON Schema it is checked
   * as the JSON that it is written as; without one, and by one that cannot be used, it is not. Where the process forbids code from
   * strings (`--disallow-code-generation-from-strings`), no JSON Schema can be compiled, and such calls fail. Python's `None` leaves
   * out an optional property that takes no `null`.
   */
  inputSchema?: JsonSchema | StandardSchema | undefined;
  /** Other names for the same. */
  input_schema?: JsonSchema | StandardSchema | undefined;
  parameters?: JsonSchema | StandardSchema | undefined;
  schema?: JsonSchema | StandardSchema | undefined;
  /** What it gives. */
  outputSchema?: JsonSchema | StandardSchema | undefined;
  output_schema?: JsonSchema | StandardSchema | undefined;
  /** Whether a person has to approve a call: see {@link CodeToolOptions.approve}. */
  needsApproval?: boolean | ((input: any, context: CallContext<Context>) => boolean | PromiseLike<boolean>) | undefined;
  /** Gives the result, a promise of it, or an async iterable of which the last is it; no stream of bytes or pieces of a text. */
  execute(input: any, context: CallContext<Context>): unknown;
}

/**
 * Functions, which are declared as such of any arguments but for those of `createFileTools`, and namespaces of such: code calls
 * `files.read(...)`.
 */
export type CodeFunctions = ((...args: any[]) => unknown) | (Readonly<Tools> & { readonly execute?: never });

/** Tools by the names that code calls them by, functions and namespaces too, or a list of tools with names. */
export type CodeTools<Context = any> =
  | Readonly<Record<string, CodeToolDefinition<Context> | CodeFunctions>>
  | readonly (CodeToolDefinition<Context> & ({ name: string } | { id: string }))[];

/** A call that a person has to approve. */
export interface ApprovalRequest<Context = any> {
  name: string;
  input: unknown;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  context: Context;
}

/** Approves a call by `true`; anything else refuses it. */
export type Approve = (request: ApprovalRequest) => boolean | PromiseLike<boolean>;

/** Options of the code tools of all frameworks; without `executor` also those of the executors that the tool makes. */
export interface CodeToolSettings
  extends Omit<ExecutorOptions, 'language'>, Omit<PyodideExecutorOptions, keyof ExecutorOptions> {
  /**
   * What the model writes: as for `SESExecutor`, or `"python"`, which `ses-executor/python` runs, without a folder unless `workDir` or
   * `mount` say otherwise. Default `"auto"`.
   */
  language?: Language | 'python' | undefined;
  /** Name of the tool. Default `"run_javascript"`, or `"run_python"`. */
  name?: string | undefined;
  /**
   * Where code runs. Variables live on from call to call then, and calls take turns, with those of all other code tools, MCP
   * servers, codemode executors and executors of agents that have the same one: code can call the tools of its own only, so that
   * tools can be made for each request, bound to a user; what runs leave in the realm they share. A tool must not call code in the executor that
   * waits for it. It is initialised when it is needed, and cleaning it up is up to the caller. After a run that leaves it
   * `DIRTY` it is made anew, without variables that the caller had sent. Default: an executor of its own for each call.
   */
  executor?: Executor | undefined;
  /**
   * Makes the description of the tool of the declarations of the others. Default: a text that says how to use it, and what else code
   * finds: modules that it may import, and of `executor` the variables and tools that it has when the code tool is made.
   */
  description?: ((declarations: string) => string) | undefined;
  /**
   * UTF-16 units of the output, and of the logs, that the model is told; of what is longer the middle is left out, and
   * of lists that are far longer the end, too, which it is told. At least 100; default 20,000.
   */
  maxOutputChars?: number | undefined;
  /**
   * Asked before each call of a tool that needs approval; the guest waits, which counts against `timeoutMs` unless `toolTimeoutMs`
   * limits calls. Without it such calls fail in the guest, with an error
   * (`ApprovalError`, with the code `ERR_NOT_APPROVED`) that tells the model to call the tool itself. For all calls there is `onToolCall`.
   */
  approve?: Approve | undefined;
}

/** What {@link createCodeTool} is made with. */
export interface CodeToolOptions<Context = any> extends CodeToolSettings {
  /**
   * What code can call. A name that is no identifier is changed: `list-files` is `list_files`, and `delete` is `delete_`, in Python `del`
   * is `del_`.
   */
  tools: CodeTools<Context>;
}

/** What came of a call: `error` if it failed, else `output`. */
export type CodeToolResult =
  | {
      /** The output, if JSON says it wholly and briefly; else the text that `util.inspect` gives, cut if it is long. */
      output: unknown;
      /** Lines that the code has logged. */
      logs: string;
      /** Says that what earlier runs have left is gone, if no earlier result has; the hint of an `error` says it, too. */
      note?: string;
      /** All of it as a model reads it. */
      text: string;
    }
  | { error: RunFailure; logs: string; text: string };

/** Options of one call. */
export interface CallOptions<Context = any> {
  /** Ends the run when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Handed on to the tools. */
  context?: Context | undefined;
}

/** A tool that takes code, for any framework. */
export interface CodeTool<Context = any> {
  name: string;
  /** Declares the tools, as their schemas say. */
  description: string;
  /** JSON Schema of `{ code: string }`. */
  inputSchema: {
    type: 'object';
    properties: { code: { type: 'string'; description: string } };
    required: ['code'];
    additionalProperties: false;
  };
  /**
   * Runs code. Failures of the code are a result; rejects only if the program around it is wrong, and with what an executor of
   * the caller's own rejects with that is no `ExecutorError`.
   */
  execute(code: string, options?: CallOptions<Context>): Promise<CodeToolResult>;
}

/**
 * Makes a tool that takes JavaScript, in which the other tools are functions; its description declares them, as their
 * schemas say.
 *
 * @throws `TypeError` or `RangeError` for wrong options, other keys of tools, names that cannot be told apart, reserved names, and schemas that
 *   have no form as JSON Schema
 *
 * @example
 * ```js
 * const tool = createCodeTool({
 *   tools: {
 *     getWeather: { description: 'The weather.', inputSchema: z.object({ city: z.string() }), execute: ({ city }) => weather(city) },
 *     now: () => new Date().toISOString(),
 *   },
 * });
 * const { text } = await tool.execute('await getWeather({ city: "Oslo" })');
 * ```
 */
export function createCodeTool<Context = any>(options: CodeToolOptions<Context>): CodeTool<Context>;
