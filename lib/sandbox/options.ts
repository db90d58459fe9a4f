import { availableParallelism } from 'node:os';

import { describe, isPlainObject, memberPath } from '../contract/describe';
import { safeListener } from '../contract/logs';
import { checkCodeToolOptions, checkSignal, checkSome, record } from '../contract/options';
import { dashboardState, isStandardSchema } from './state';
import type { GuestGlobal } from '../contract/executor-types';
import type { CheckedNetwork } from '../contract/network-policy';
import type { ExecutorOptions } from '../contract/executor-options';
import type { SandboxAdapters, SandboxRegistry } from './api';
import type { ExecutionReport } from './report';
import type { DashboardState, StandardSchemaV1 } from './state';

export interface SandboxManagerOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, DashboardState>,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each host has its own context
  Context = any,
> {
  /** Read once, at construction. Later changes have no effect. */
  registry: SandboxRegistry;
  /** The constructor throws if a method has no adapter. */
  adapters: SandboxAdapters<Context>;
  /** Not used. Allowed so that the result of {@link registryFromOpenApi} can be spread. */
  warnings?: string[] | undefined;
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
   * system (`sandbox`). Same as for `SESExecutor`; default `"thread"`.
   */
  isolation?: ExecutorOptions['isolation'] | undefined;
  /** The fleet of `isolation: "remote"`. Same as for `SESExecutor`. */
  remote?: ExecutorOptions['remote'] | undefined;
  /** With `isolation: "process"`: whether that sandbox is required; default `"best-effort"`. */
  sandbox?: ExecutorOptions['sandbox'] | undefined;
  /**
   * Name of the tenant that the isolates belong to. Same as for `SESExecutor`; default `"ses-executor/sandbox"`, so
   * that programs here never cause executors without an owner to be refused.
   */
  owner?: ExecutorOptions['owner'] | undefined;
  /** Memory in MiB that abandoned isolates of this owner may hold; default 2,048. */
  maxParkedMb?: ExecutorOptions['maxParkedMb'] | undefined;
  /** Further globals of programs. Same as for `SESExecutor`; default none. */
  globals?: ExecutorOptions['globals'] | undefined;
  /** Requests that programs may make with `globals: ["fetch"]`. Same as for `SESExecutor`. */
  network?: ExecutorOptions['network'] | undefined;
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
  /** Loop iterations of one execution. Default `Infinity`: limited only by its deadline. */
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
   * Maximum length of the declarations in prompts and in descriptions of tools. If the declarations of all methods are
   * longer, only the sources are named, and programs search for methods. An integer >= 0, or `Infinity`; default 8,000.
   */
  maxDeclarationChars?: number | undefined;
  /**
   * Called at the end of each execution. If it throws, the outcome does not change: the error becomes a process
   * warning.
   */
  onReport?: ((report: ExecutionReport) => void) | undefined;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each host has its own context
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

const MAX_MS = 2 ** 31 - 1;
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 1_000_000;

/** Numeric options: default, minimum and maximum. */
const NUMBERS = {
  poolSize: [4, 0, 1_000],
  executionTimeoutMs: [30_000, 1, MAX_MS],
  memoryLimitMb: [64, 16, 65_536],
  maxSdkCalls: [50, 0, MAX_COUNT],
  maxConcurrent: [availableParallelism() * 4, 1, 10_000],
  maxQueued: [256, 0, MAX_COUNT],
  maxOperations: [Infinity, 1, Number.MAX_SAFE_INTEGER],
  maxParamsBytes: [65_536, 2, MAX_BYTES],
  maxTransferBytes: [16 * (1 << 20), 1024, MAX_BYTES],
  maxLogBytes: [65_536, 1024, 256 * (1 << 20)],
  maxCodeBytes: [262_144, 1, MAX_BYTES],
} satisfies Record<string, [number, number, number]>;

/**
 * The options of a manager, with a value for every number.
 *
 * @internal
 */
export interface ManagerOptions extends Record<keyof typeof NUMBERS, number> {
  maxDeclarationChars: number;
  registry: unknown;
  adapters: unknown;
  stateSchema: StandardSchemaV1;
  rateLimits: Map<string, RateLimits>;
  context: unknown;
  isolation: 'thread' | 'process' | 'remote';
  remote: ExecutorOptions['remote'];
  sandbox: 'required' | 'best-effort' | 'off';
  owner: string;
  maxParkedMb: number;
  globals: readonly GuestGlobal[];
  network: CheckedNetwork | undefined;
  onReport: ((report: ExecutionReport) => void) | undefined;
}

/** Without a limit, a number is infinite. */
type RateLimits = { perSecond: number; concurrency: number };

/**
 * The options of one execution.
 *
 * @internal
 */
export interface ExecutionOptions {
  signal: AbortSignal | undefined;
  style: 'auto' | 'sync' | 'async';
  onReport: ((report: ExecutionReport) => void) | undefined;
  context: unknown;
}

/** Options for the location, the owner and the globals of isolates, as for executors. */
const PLACE = ['isolation', 'remote', 'sandbox', 'owner', 'maxParkedMb', 'globals', 'network'] as const;

/**
 * The default owner of isolates. Executors without an owner are not refused because of memory that these isolates hold.
 */
const OWNER = 'ses-executor/sandbox';

const KNOWN_OPTIONS = [
  'registry',
  'adapters',
  'stateSchema',
  'rateLimits',
  'context',
  'onReport',
  // Part of the result of `registryFromOpenApi`, which callers spread. A manager does not use it.
  'warnings',
  'maxDeclarationChars',
  ...PLACE,
  ...Object.keys(NUMBERS),
];

/**
 * @internal
 * @returns the options, with a value for every number
 * @throws {TypeError | RangeError}
 */
export function checkManagerOptions(options: unknown): ManagerOptions {
  const given = record(options, 'options', KNOWN_OPTIONS);
  const { adapters, stateSchema = dashboardState, rateLimits = {}, onReport } = given;
  if (typeof adapters !== 'function' && !isPlainObject(adapters)) {
    throw new TypeError(`options.adapters must be a function or an object of functions, got ${describe(adapters)}`);
  }
  if (!isStandardSchema(stateSchema)) {
    throw new TypeError(`options.stateSchema must be a Standard Schema, got ${describe(stateSchema)}`);
  }
  checkFunction(onReport, 'options.onReport');
  const numbers = Object.entries(NUMBERS).map(([name, bounds]) => [
    name,
    integer(given[name], `options.${name}`, bounds as [number, number, number]),
  ]);
  const { maxDeclarationChars } = checkCodeToolOptions({ maxDeclarationChars: given.maxDeclarationChars });
  return {
    maxDeclarationChars,
    registry: given.registry,
    adapters,
    context: given.context,
    ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>),
    ...(checkSome({ ...given, owner: given.owner ?? OWNER }, PLACE) as Pick<ManagerOptions, (typeof PLACE)[number]>),
    stateSchema,
    onReport: onReport && safeListener(onReport, 'onReport'),
    rateLimits: checkRateLimits(rateLimits),
  };
}

function checkRateLimits(rateLimits: unknown): Map<string, RateLimits> {
  const path = 'options.rateLimits';
  if (!isPlainObject(rateLimits)) throw new TypeError(`${path} must be an object, got ${describe(rateLimits)}`);
  return new Map(
    Object.entries(rateLimits).map(([source, limits]) => {
      const at = memberPath(path, source);
      const { perSecond, concurrency } = record(limits, at, ['perSecond', 'concurrency']);
      const checked = (value: unknown, name: string) =>
        value === undefined ? Infinity : integer(value, `${at}.${name}`, [1, 1, MAX_COUNT]);
      return [source, { perSecond: checked(perSecond, 'perSecond'), concurrency: checked(concurrency, 'concurrency') }];
    }),
  );
}

/**
 * @param options of one execution
 *
 * @internal
 */
export function checkExecutionOptions(options: unknown, defaultContext: unknown): ExecutionOptions {
  const {
    signal,
    style = 'auto',
    onReport,
    ...given
  } = record(options, 'options', ['signal', 'context', 'style', 'onReport']);
  checkSignal(signal);
  if (!['auto', 'sync', 'async'].includes(style)) {
    throw new TypeError(`options.style must be "auto", "sync" or "async", got ${describe(style)}`);
  }
  checkFunction(onReport, 'options.onReport');
  const listener = onReport && safeListener(onReport, 'onReport');
  return { signal, style, onReport: listener, context: 'context' in given ? given.context : defaultContext };
}

function checkFunction(value: unknown, path: string) {
  if (value !== undefined && typeof value !== 'function') {
    throw new TypeError(`${path} must be a function, got ${describe(value)}`);
  }
}

function integer(value: unknown, path: string, [fallback, min, max]: [number, number, number]) {
  if (value === undefined) return fallback;
  if (typeof value !== 'number') throw new TypeError(`${path} must be a number, got ${describe(value)}`);
  // A number without a limit has this default.
  if (value === Infinity && fallback === Infinity) return value;
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${path} must be an integer from ${min} to ${max}, got ${describe(value)}`);
  }
  return value;
}
