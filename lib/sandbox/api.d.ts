/**
 * Lets a model work with a large API through code: two or three tools for the model, thousands of methods behind them.
 * Sections refer to the specification of the sandbox.
 *
 * @packageDocumentation
 */

// `any` where `ai` is not installed, which only `createSandboxTools` needs.
// @ts-ignore
import type { Tool } from 'ai';

import type { ExecutorError, ExecutorErrorCode, ExecutorErrorDetails, ExecutorOptions, LogEntry } from '../../index';

/** An object of JSON schema, 2020-12 or what its `$schema` says: drafts 4 to 7. */
export type JsonSchema = { [keyword: string]: unknown };

/** What there is to call. */
export interface SandboxRegistry {
  sources: SandboxSource[];
  /**
   * Schemas that methods share: `{ "$ref": "#/$defs/name" }` in `params` that have none of that name themselves. Names are of letters,
   * digits, `_`, `.` and `-`.
   */
  $defs?: { [name: string]: JsonSchema };
}

export interface SandboxSource {
  /** An identifier: `market`. */
  name: string;
  description?: string | undefined;
  methods: SandboxMethod[];
}

export interface SandboxMethod {
  /** An identifier: `getKline`. */
  name: string;
  description?: string | undefined;
  /**
   * Schema of the one parameter, an object; default: any object. It is checked before the adapter is called. `format` is not
   * checked; `pattern` is matched in linear time, by RE2: one with lookarounds, references to groups, or repeats beyond 1,000 that are
   * not from `^` on without loops makes calls fail with `ERR_INVALID_SCHEMA` that give a text for it, as a reference does that leads
   * nowhere. What it refers to is compiled when parameters first get there.
   */
  params?: JsonSchema | undefined;
  /** Schema of what it gives, for the model; not checked. */
  result?: JsonSchema | undefined;
  examples?: unknown[] | undefined;
}

/** What an adapter is told about a call. */
export interface SdkCall<Context = any> {
  source: string;
  method: string;
  /** Aborted when the execution ends, for whatever reason. What the adapter answers after that is dropped. */
  signal: AbortSignal;
  /** The execution's, which guests never see. */
  context: Context;
}

/** Does the work of one method. `params` are JSON and fit the schema. What it gives crosses as a structured clone. */
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

/** What a schema gives. */
export type StateOf<Schema> = Schema extends StandardSchemaV1<any, infer Output> ? Output : never;

/** The dashboard of the specification: a title and panels; beside these fields there may be others. */
export interface DashboardState {
  title: string;
  description?: string;
  panels: DashboardPanel[];
  [field: string]: unknown;
}

export interface DashboardPanel {
  /** What is drawn: `line`, `candles`, `table`, … */
  type: string;
  id?: string;
  title?: string;
  [field: string]: unknown;
}

/** The default {@link SandboxManagerOptions.stateSchema}. */
export const dashboardState: StandardSchemaV1<unknown, DashboardState>;

/** Lets every state pass. */
export const anyState: StandardSchemaV1<unknown, unknown>;

export interface SandboxManagerOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  Context = any,
> {
  /** Read once: later changes of it change nothing. */
  registry: SandboxRegistry;
  /** The constructor throws if a method has none. */
  adapters: SandboxAdapters<Context>;
  /**
   * What `executeCode` and `executeMutate` must give; default {@link dashboardState}. Called on the thread of the host; one that
   * gives a promise is waited for up to `executionTimeoutMs`, one that throws fails the execution with `ERR_INVALID_SCHEMA`.
   */
  stateSchema?: Schema | undefined;
  /** Isolates that are made ahead, in the background; an integer from 0 to 1,000, default 4. */
  poolSize?: number | undefined;
  /** Deadline of one execution, from the start of its program, rate limits included; default 30,000. */
  executionTimeoutMs?: number | undefined;
  /**
   * Where isolates live: on threads of this process, or each in a worker process of its own, with the sandbox of the operating system
   * (`sandbox`). As with `SESExecutor`; default `"thread"`.
   */
  isolation?: ExecutorOptions['isolation'] | undefined;
  /** With `isolation: "process"`: whether that sandbox must be there; default `"best-effort"`. */
  sandbox?: ExecutorOptions['sandbox'] | undefined;
  /** Memory of one execution in MiB; default 64. */
  memoryLimitMb?: number | undefined;
  /** SDK calls of one execution, over all sources; one more ends it with `ERR_SDK_CALL_LIMIT_EXCEEDED`. Default 50. */
  maxSdkCalls?: number | undefined;
  /** Calls per source and second, and at the same time; others wait, in order. Over all executions of the manager. */
  rateLimits?: { [source: string]: { perSecond?: number | undefined; concurrency?: number | undefined } } | undefined;
  /** For adapters, if an execution has none of its own. */
  context?: Context | undefined;
  /** Executions at the same time; others wait, in order. Default: four per processor. */
  maxConcurrent?: number | undefined;
  /** Executions that may wait; one more fails with `ERR_SANDBOX_BUSY`. Default 256. */
  maxQueued?: number | undefined;
  /** Loop iterations of one execution; default: as many as its time allows. */
  maxOperations?: number | undefined;
  /** Characters of JSON that the parameters of one call may have; default 65,536. */
  maxParamsBytes?: number | undefined;
  /** Bytes of a result, and of what an execution gives; default 16 MiB. */
  maxTransferBytes?: number | undefined;
  /** Bytes of log text of one execution; default 65,536. */
  maxLogBytes?: number | undefined;
  /** Bytes of code; default 262,144. */
  maxCodeBytes?: number | undefined;
  /** Called at the end of each execution. That it fails changes no outcome: it is a warning of the process. */
  onReport?: ((report: ExecutionReport) => void) | undefined;
}

export interface ExecuteOptions<Context = any> {
  /** Ends the execution, also one that waits: it fails with `ERR_EXEC_TIMEOUT` and `details.aborted`. */
  signal?: AbortSignal | undefined;
  /** For adapters, instead of the manager's. */
  context?: Context | undefined;
  /**
   * How SDK calls wait: `"sync"` gives values, `"async"` promises. Default `"auto"`: promises if the program awaits anything but
   * `utils.parallel`, uses `Promise`, or calls `then` of an SDK call; that is found out from its syntax tree.
   */
  style?: 'auto' | 'sync' | 'async' | undefined;
  /** Called at the end of this execution, as that of the manager is. */
  onReport?: ((report: ExecutionReport) => void) | undefined;
}

/** What an execution tells of itself. */
export interface ExecutionReport {
  kind: 'search' | 'execute' | 'mutate';
  /** Missing if the program was not read: the execution was refused, or ended before. */
  style?: 'sync' | 'async';
  ok: boolean;
  logs: string;
  logEntries: LogEntry[];
  /** SDK calls by source. */
  sdkCalls: Record<string, number>;
  /** Milliseconds: waiting for a turn, getting program and isolate ready, running, and all together. */
  times: { queuedMs: number; preparingMs: number; runMs: number; totalMs: number };
  operations?: number;
  heapUsedBytes?: number;
  /** `line` and `column`: in the code that was passed. */
  failure?: { code: string; message: string; line?: number; column?: number };
}

/** A finding about parameters or a state. */
export interface SandboxIssue {
  /** Keys, joined by dots; empty for the whole. */
  path: string;
  message: string;
}

/** Codes of a {@link SandboxError}; `docs/reference/errors.md` says what each means. */
export type SandboxErrorCode =
  | ExecutorErrorCode
  | 'ERR_SDK_CALL_LIMIT_EXCEEDED'
  | 'ERR_INVALID_PARAMS'
  | 'ERR_UNKNOWN_METHOD'
  | 'ERR_INVALID_SCHEMA'
  | 'ERR_INVALID_STATE_OUTPUT'
  | 'ERR_SANDBOX_BUSY'
  | 'ERR_SANDBOX_CLOSED';

/** Every promise of a manager that fails rejects with one; wrong arguments of the host are a `TypeError` or `RangeError`. */
export interface SandboxError extends Omit<ExecutorError, 'code' | 'name' | 'details'> {
  readonly name: 'SandboxError';
  code: SandboxErrorCode;
  /**
   * Positions are those of the code that was passed. `tool`: the SDK method that failed, as `sdk.market.getKline`. `issues`:
   * what is wrong with parameters or state. `hint`: what to write instead.
   */
  details?: ExecutorErrorDetails & { issues?: SandboxIssue[]; maxSdkCalls?: number };
  /** Of an execution that has begun or waited. Not enumerable. */
  report?: ExecutionReport;
}
export const SandboxError: { new (...args: never[]): SandboxError; readonly prototype: SandboxError };

/**
 * Runs programs of models against an API. Each execution has an isolate of its own, made ahead, that is never used again.
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

  /** Isolates that are ready now. */
  get ready(): number;

  /** Limits of one execution, as prompts state them. */
  get limits(): { executionTimeoutMs: number; memoryLimitMb: number; maxSdkCalls: number };

  /** Runs a program that has only `spec`, and gives its value. */
  executeSearch(code: string, options?: ExecuteOptions<Context>): Promise<unknown>;

  /** Runs a program that has `spec`, `sdk` and `utils`, and gives its value, which must be a valid state. */
  executeCode(code: string, options?: ExecuteOptions<Context>): Promise<StateOf<Schema>>;

  /**
   * Runs a program that is a function of the state, or that uses the variable `state`: a hardened copy, so that `state` itself is
   * never changed. Gives the new state, which must be valid.
   */
  executeMutate(code: string, state: StateOf<Schema>, options?: ExecuteOptions<Context>): Promise<StateOf<Schema>>;

  /**
   * Ends all executions with `ERR_SANDBOX_CLOSED` and gives the isolates back. It waits for no guest and no adapter.
   */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An operation of an OpenAPI document, for {@link OpenApiOptions.filter}. */
export interface OpenApiOperation {
  source: string;
  name: string;
  /** In capitals: `GET`. */
  method: string;
  path: string;
  tags: string[];
  operationId?: string;
}

/** As the types of Node.js or of the DOM declare it, if they are there. */
type Fetch = typeof globalThis extends { fetch: infer Declared } ? Declared : (...args: any[]) => Promise<any>;

export interface OpenApiOptions {
  /** Default: that of Node.js. */
  fetch?: Fetch | undefined;
  /**
   * Of all requests. Default: the first server of the operation, its path or the document, with the defaults of its variables.
   */
  baseUrl?: string | undefined;
  /** Headers of each request, or a function of the call that gives them. They replace those of guests. */
  headers?:
    Record<string, string> | ((call: SdkCall) => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Values for the document's security schemes by name: a token, a key, or `user:password` for basic authentication; or a function
   * of the call that gives one. What they fill in is no parameter of guests. Of an operation's alternatives
   * the first is used that wants some of which all are here. A call for which a function gives no text fails. Names that the document
   * does not have are refused.
   */
  credentials?: Record<string, string | ((call: SdkCall) => string | Promise<string>)> | undefined;
  /** Which operations there are. */
  filter?: ((operation: OpenApiOperation) => boolean) | undefined;
  /** Bytes of one answer; default 8 MiB. */
  maxResponseBytes?: number | undefined;
}

/**
 * Registry and adapters of an OpenAPI 3.0 or 3.1 document, an object or a text in JSON or YAML. A source per tag, a method per
 * operation. Parameters of path, query and header, and the properties of a JSON body, are the properties of the one parameter;
 * a body that is no object, that has a name that a parameter has too, or that is a form, is its property `body`. Values are written
 * in the document's styles, forms by its `encoding`; a file is a text, which is sent as UTF-8. What is `readOnly` is not required,
 * and a `pattern` that RE2 does not have is left to the API. A body that is not required is not sent if none of its properties is given.
 * An answer of JSON is what it says, a text is decoded by its charset, and what is neither is a `Uint8Array`; an empty one is `null`.
 * Answers that are no success are errors with the code `HTTP_404` and the like, a connection that fails is one with its code, as
 * `ECONNREFUSED`. Redirects are followed within one origin, of requests that change something only those by 303.
 *
 * @throws `TypeError` for a document that is not valid, or that refers to others
 * @throws `SyntaxError` for a text that cannot be read as JSON or YAML
 */
export function registryFromOpenApi(
  document: string | object,
  options?: OpenApiOptions,
): Promise<{ registry: SandboxRegistry; adapters: SandboxAdapters }>;

export interface SandboxToolsOptions<State = unknown, Context = any> {
  context?: Context | undefined;
  /** Which style programs are written in; default: as {@link ExecuteOptions.style}, and descriptions that ask for `"sync"`. */
  style?: 'sync' | 'async' | undefined;
  /** The state before the first call, if `getState` is not given. */
  state?: State | undefined;
  /** Where the current state is, instead of in the tools. Waited for up to `executionTimeoutMs`, as `setState` is. */
  getState?: (() => State | Promise<State>) | undefined;
  /** Told each new state. */
  setState?: ((state: State) => void | Promise<void>) | undefined;
}

/** What the tools give: `error` is what a model needs to correct its program. */
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
 * The tools `search`, `execute` and `mutate` for the AI SDK. Calls of the last two take turns, so that each has the state that the one
 * before it gave. Needs `ai` and `zod`.
 */
export function createSandboxTools<Schema extends StandardSchemaV1, Context>(
  manager: SandboxManager<Schema, Context>,
  options?: SandboxToolsOptions<StateOf<Schema>, Context>,
): Record<'search' | 'execute' | 'mutate', Tool<{ code: string }, SandboxToolResult>>;

/** The part of a system prompt that names the sources and says how programs are written. Default style: `"sync"`. */
export function renderSandboxPrompt(
  manager: SandboxManager<any, any>,
  options?: { style?: 'sync' | 'async' | undefined },
): string;
