/**
 * Lets a model work with a large API through code. The model has two or three tools, which provide thousands of
 * methods. Sections refer to the specification of the sandbox.
 *
 * @packageDocumentation
 */

// The type is `any` if `ai` is not installed. Only `createSandboxTools` needs it.
// @ts-ignore
import type { Tool } from 'ai';

import type { ExecutorError, ExecutorErrorCode, ExecutorErrorDetails, ExecutorOptions, LogEntry } from '../../index';

/** A JSON Schema object: 2020-12, or the version that its `$schema` names, drafts 4 to 7. */
export type JsonSchema = { [keyword: string]: unknown };

/** The methods that programs can call. */
export interface SandboxRegistry {
  sources: SandboxSource[];
  /**
   * Schemas that methods share: `{ "$ref": "#/$defs/name" }` in `params` without their own definition of that name.
   * Names consist of letters, digits, `_`, `.` and `-`.
   */
  $defs?: { [name: string]: JsonSchema };
}

export interface SandboxSource {
  /** An identifier, such as `market`. */
  name: string;
  description?: string | undefined;
  methods: SandboxMethod[];
}

export interface SandboxMethod {
  /** An identifier, such as `getKline`. */
  name: string;
  description?: string | undefined;
  /**
   * Schema of the one parameter, an object; default: any object. It is checked before the adapter is called. `format`
   * is not checked. `pattern` is matched by RE2 in linear time. Lookarounds and backreferences are unsupported. Repeats
   * beyond 1,000 are supported only after `^` and without loops. A call that passes a string for an unsupported pattern
   * fails with `ERR_INVALID_SCHEMA`, as does a call that reaches a reference without a target. Referenced schemas are
   * compiled when parameters first reach them.
   */
  params?: JsonSchema | undefined;
  /** Schema of the result, for the model; not checked. */
  result?: JsonSchema | undefined;
  examples?: unknown[] | undefined;
}

/** Information for an adapter about a call. */
export interface SdkCall<Context = any> {
  source: string;
  method: string;
  /** Aborted when the execution ends, for any reason. Later answers of the adapter are dropped. */
  signal: AbortSignal;
  /** The context of the execution. Guests never see it. */
  context: Context;
}

/**
 * Executes one method. `params` are JSON and match the schema. The result is passed to the guest as a structured clone.
 */
export type SandboxAdapter<Context = any> = (params: any, call: SdkCall<Context>) => unknown;

/** Adapters by source and method, or one function for all. */
export type SandboxAdapters<Context = any> =
  | { [source: string]: { [method: string]: SandboxAdapter<Context> } }
  | ((source: string, method: string, params: any, call: SdkCall<Context>) => unknown);

/** A library's schema, by https://standardschema.dev: zod, valibot, arktype and others. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardSchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: ReadonlyArray<StandardSchemaIssue> };

export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** The output type of a schema. */
export type StateOf<Schema> = Schema extends StandardSchemaV1<any, infer Output> ? Output : never;

/** The dashboard of the specification: a title and panels. Other fields are allowed too. */
export interface DashboardState {
  title: string;
  description?: string;
  panels: DashboardPanel[];
  [field: string]: unknown;
}

export interface DashboardPanel {
  /** The kind of panel: `line`, `candles`, `table`, … */
  type: string;
  id?: string;
  title?: string;
  [field: string]: unknown;
}

/** The default {@link SandboxManagerOptions.stateSchema}. */
export const dashboardState: StandardSchemaV1<unknown, DashboardState>;

/** Accepts every state. */
export const anyState: StandardSchemaV1<unknown, unknown>;

export interface SandboxManagerOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  Context = any,
> {
  /** Read once, at construction. Later changes have no effect. */
  registry: SandboxRegistry;
  /** The constructor throws if a method has no adapter. */
  adapters: SandboxAdapters<Context>;
  /**
   * Schema for the results of `executeCode` and `executeMutate`; default {@link dashboardState}. It is called on the
   * host's thread. A promise is awaited for up to `executionTimeoutMs`. A schema that throws fails the execution with
   * `ERR_INVALID_SCHEMA`.
   */
  stateSchema?: Schema | undefined;
  /** Number of isolates that are created ahead, in the background. An integer from 0 to 1,000, default 4. */
  poolSize?: number | undefined;
  /**
   * Deadline of one execution in milliseconds, from the start of its program and including rate limits; default 30,000.
   */
  executionTimeoutMs?: number | undefined;
  /**
   * Where isolates run: on threads of this process, or each in its own worker process with the sandbox of the operating
   * system (`sandbox`). As for `SESExecutor`; default `"thread"`.
   */
  isolation?: ExecutorOptions['isolation'] | undefined;
  /** With `isolation: "process"`: whether that sandbox is required; default `"best-effort"`. */
  sandbox?: ExecutorOptions['sandbox'] | undefined;
  /** Memory of one execution in MiB; default 64. */
  memoryLimitMb?: number | undefined;
  /**
   * SDK calls of one execution, over all sources. A further call ends the execution with `ERR_SDK_CALL_LIMIT_EXCEEDED`.
   * Default 50.
   */
  maxSdkCalls?: number | undefined;
  /**
   * Maximum calls of a source per second and at the same time. Further calls wait, in order. The limits cover all
   * executions of the manager.
   */
  rateLimits?: { [source: string]: { perSecond?: number | undefined; concurrency?: number | undefined } } | undefined;
  /** Context for adapters, if an execution does not pass its own. */
  context?: Context | undefined;
  /** Maximum concurrent executions. Others wait, in order. Default: four per processor. */
  maxConcurrent?: number | undefined;
  /** Maximum waiting executions. A further one fails with `ERR_SANDBOX_BUSY`. Default 256. */
  maxQueued?: number | undefined;
  /** Loop iterations of one execution; default: limited only by its deadline. */
  maxOperations?: number | undefined;
  /** Maximum characters of JSON for the parameters of one call; default 65,536. */
  maxParamsBytes?: number | undefined;
  /** Maximum bytes of a call's result, and of an execution's result; default 16 MiB. */
  maxTransferBytes?: number | undefined;
  /** Maximum bytes of log text of one execution; default 65,536. */
  maxLogBytes?: number | undefined;
  /** Maximum bytes of code; default 262,144. */
  maxCodeBytes?: number | undefined;
  /**
   * Called at the end of each execution. If it throws, the outcome does not change: the error becomes a process
   * warning.
   */
  onReport?: ((report: ExecutionReport) => void) | undefined;
}

export interface ExecuteOptions<Context = any> {
  /** Ends the execution, even if it is still waiting. It fails with `ERR_EXEC_TIMEOUT` and `details.aborted`. */
  signal?: AbortSignal | undefined;
  /** Context for adapters, instead of the manager's. */
  context?: Context | undefined;
  /**
   * How SDK calls return: `"sync"` returns values, `"async"` returns promises. Default `"auto"`: promises if the
   * program awaits anything other than `utils.parallel`, uses `Promise`, or calls `then` on an SDK call. The syntax
   * tree of the program decides.
   */
  style?: 'auto' | 'sync' | 'async' | undefined;
  /** Called at the end of this execution, in the same way as the manager's `onReport`. */
  onReport?: ((report: ExecutionReport) => void) | undefined;
}

/** The report of one execution. */
export interface ExecutionReport {
  kind: 'search' | 'execute' | 'mutate';
  /** Missing if the program was not parsed: the execution was refused or ended before that. */
  style?: 'sync' | 'async';
  ok: boolean;
  logs: string;
  logEntries: LogEntry[];
  /** Number of SDK calls by source. */
  sdkCalls: Record<string, number>;
  /** Milliseconds: waiting for a slot, preparing program and isolate, running, and in total. */
  times: { queuedMs: number; preparingMs: number; runMs: number; totalMs: number };
  operations?: number;
  heapUsedBytes?: number;
  /** `line` and `column` are positions in the code that was passed. */
  failure?: { code: string; message: string; line?: number; column?: number };
}

/** A flaw in parameters or in a state. */
export interface SandboxIssue {
  /** Keys, joined by dots; empty for the whole value. */
  path: string;
  message: string;
}

/** Codes of a {@link SandboxError}. `docs/reference/errors.md` describes each of them. */
export type SandboxErrorCode =
  | ExecutorErrorCode
  | 'ERR_SDK_CALL_LIMIT_EXCEEDED'
  | 'ERR_INVALID_PARAMS'
  | 'ERR_UNKNOWN_METHOD'
  | 'ERR_INVALID_SCHEMA'
  | 'ERR_INVALID_STATE_OUTPUT'
  | 'ERR_SANDBOX_BUSY'
  | 'ERR_SANDBOX_CLOSED';

/**
 * The error with which all promises of a manager reject. Wrong arguments of the host are a `TypeError` or `RangeError`.
 */
export interface SandboxError extends Omit<ExecutorError, 'code' | 'name' | 'details'> {
  readonly name: 'SandboxError';
  code: SandboxErrorCode;
  /**
   * Positions refer to the code that was passed. `tool`: the SDK method that failed, such as `sdk.market.getKline`.
   * `issues`: the flaws in parameters or state. `hint`: advice for correcting the code.
   */
  details?: ExecutorErrorDetails & { issues?: SandboxIssue[]; maxSdkCalls?: number };
  /** Present if the execution has started or waited. Not enumerable. */
  report?: ExecutionReport;
}
export const SandboxError: { new (...args: never[]): SandboxError; readonly prototype: SandboxError };

/**
 * Runs programs of models against an API. Each execution has its own isolate, which is created ahead and never reused.
 *
 * @example
 * ```js
 * const manager = new SandboxManager({ registry, adapters: { market: { getKline: async (params) => … } } });
 * const found = await manager.executeSearch("spec.find('kline')");
 * const state = await manager.executeCode("var k = sdk.market.getKline({ symbol: 'XAU' }); ({ title: 'Gold', panels: [] })");
 * const next = await manager.executeMutate('(state) => ({ ...state, title: "x" })', state);
 * await manager.close();
 * ```
 */
export class SandboxManager<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  Context = any,
> {
  /**
   * @throws `TypeError` for options of the wrong type, unknown ones, and methods without an adapter
   * @throws `RangeError` for options out of bounds
   */
  constructor(options: SandboxManagerOptions<Schema, Context>);

  /** The sources, with the number of their methods. */
  get sources(): { name: string; description: string; methods: number }[];

  /** Number of isolates that are ready now. */
  get ready(): number;

  /** Limits of one execution, as prompts state them. */
  get limits(): { executionTimeoutMs: number; memoryLimitMb: number; maxSdkCalls: number };

  /** Runs a program that only has `spec`, and returns its value. */
  executeSearch(code: string, options?: ExecuteOptions<Context>): Promise<unknown>;

  /** Runs a program that has `spec`, `sdk` and `utils`. Returns its value, which must be a valid state. */
  executeCode(code: string, options?: ExecuteOptions<Context>): Promise<StateOf<Schema>>;

  /**
   * Runs a program that is a function of the state, or that uses the variable `state`. The program receives a hardened
   * copy, so `state` itself never changes. Returns the new state, which must be valid.
   */
  executeMutate(code: string, state: StateOf<Schema>, options?: ExecuteOptions<Context>): Promise<StateOf<Schema>>;

  /** Ends all executions with `ERR_SANDBOX_CLOSED` and disposes the isolates. Does not wait for guests or adapters. */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An operation of an OpenAPI document, for {@link OpenApiOptions.filter}. */
export interface OpenApiOperation {
  source: string;
  name: string;
  /** Upper case, such as `GET`. */
  method: string;
  path: string;
  tags: string[];
  operationId?: string;
}

/** The type that Node.js or the DOM declares, if available. */
type Fetch = typeof globalThis extends { fetch: infer Declared } ? Declared : (...args: any[]) => Promise<any>;

export interface OpenApiOptions {
  /** Default: the `fetch` of Node.js. */
  fetch?: Fetch | undefined;
  /**
   * Base URL of all requests. Default: the first server of the operation, its path or the document, with the defaults
   * of its variables.
   */
  baseUrl?: string | undefined;
  /** Headers of each request, or a function of the call that returns them. They replace headers that guests set. */
  headers?:
    Record<string, string> | ((call: SdkCall) => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Credentials for the document's security schemes, by name: a token, a key, or `user:password` for basic
   * authentication, or a function of the call that returns one. Guests have no parameters for these values. Of an
   * operation's alternatives, the first one is used that needs credentials and for which all are present. A call fails
   * if a function does not return a string. Names that are not in the document are refused.
   */
  credentials?: Record<string, string | ((call: SdkCall) => string | Promise<string>)> | undefined;
  /** Selects the operations to include. Default: all. */
  filter?: ((operation: OpenApiOperation) => boolean) | undefined;
  /** Maximum bytes of one response; default 8 MiB. */
  maxResponseBytes?: number | undefined;
}

/**
 * Creates the registry and adapters for an OpenAPI 3.0 or 3.1 document: an object, or a string in JSON or YAML. Each
 * tag becomes a source, and each operation a method.
 *
 * Requests: path, query and header parameters and the properties of a JSON body become the properties of the method's
 * one parameter. A body becomes the property `body` if it is not an object, if one of its names is also a parameter, or
 * if it is a form. Values are serialized in the document's styles, and forms by its `encoding`. A file is a string,
 * which is sent as UTF-8. `readOnly` properties are not required. A `pattern` that RE2 does not support is left to the
 * API. An optional body is not sent if none of its properties is given.
 *
 * Responses: JSON is parsed, and text is decoded by its charset. Other content is a `Uint8Array`, and an empty response
 * is `null`. Unsuccessful responses are errors with a code such as `HTTP_404`. Failed connections are errors with their
 * own code, such as `ECONNREFUSED`. Redirects are followed within one origin. For requests that change something, only
 * redirects with status 303 are followed.
 *
 * @throws `TypeError` for a document that is not valid, or that refers to other documents
 * @throws `SyntaxError` for a string that cannot be read as JSON or YAML
 */
export function registryFromOpenApi(
  document: string | object,
  options?: OpenApiOptions,
): Promise<{ registry: SandboxRegistry; adapters: SandboxAdapters }>;

export interface SandboxToolsOptions<State = unknown, Context = any> {
  context?: Context | undefined;
  /** The style of programs. Default: as {@link ExecuteOptions.style}, with descriptions that ask for `"sync"`. */
  style?: 'sync' | 'async' | undefined;
  /** The state before the first call, if `getState` is not set. */
  state?: State | undefined;
  /**
   * Returns the current state, if it is stored outside the tools. Awaited for up to `executionTimeoutMs`, like
   * `setState`.
   */
  getState?: (() => State | Promise<State>) | undefined;
  /** Called with each new state. */
  setState?: ((state: State) => void | Promise<void>) | undefined;
}

/** The result of a tool. `error` contains the information that a model needs to correct its program. */
export type SandboxToolResult =
  | { output: unknown; logs: string }
  | {
      error: {
        code: string;
        message: string;
        line?: number;
        column?: number;
        codeFrame?: string;
        hint: string;
        retryable: boolean;
      };
      logs: string;
    };

/**
 * The tools `search`, `execute` and `mutate` for the AI SDK. Calls of `execute` and `mutate` run in order, so that each
 * receives the state from the previous one. Needs `ai` and `zod`.
 */
export function createSandboxTools<Schema extends StandardSchemaV1, Context>(
  manager: SandboxManager<Schema, Context>,
  options?: SandboxToolsOptions<StateOf<Schema>, Context>,
): Record<'search' | 'execute' | 'mutate', Tool<{ code: string }, SandboxToolResult>>;

/** The part of a system prompt that names the sources and describes how to write programs. Default style: `"sync"`. */
export function renderSandboxPrompt(
  manager: SandboxManager<any, any>,
  options?: { style?: 'sync' | 'async' | undefined },
): string;
