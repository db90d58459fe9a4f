import { bigintText, describe, isLongBigint } from './describe';
import { errorRow } from './error-table';
import { explanationOf } from './failure';
import { isSmall } from './render';
import type { Diagnostic } from './diagnostic';
import type { ExecutorErrorCode } from './error-codes';
import type { ErrorRow } from './error-table';
import type { ExecutorState, LogEntry, RunStats } from './executor-types';

/** How bad a failure is (section 8.2). */
export type ExecutorErrorSeverity = 'FATAL' | 'ERROR' | 'WARN';

/** A failure as plain data (section 8.1): what `JSON.stringify(error)` gives. */
export interface NormalizedExecutorError {
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  message: string;
  retryable: boolean;
  details?: ExecutorErrorDetails;
  logs?: string;
}

/**
 * Facts about a failure. Which of them there are depends on the code; see `docs/reference/errors.md`.
 */
export interface ExecutorErrorDetails {
  /** Guest errors: `name` of the error; `null` if the thrown value is not an error. */
  name?: string | null;
  /** Guest errors: message of the error. */
  message?: string;
  /** Guest errors: `code` of the error, where it has one. */
  code?: string | number;
  /** Guest errors: line in the code that was passed to `run()`, from 1. */
  line?: number;
  /** Guest errors: column in that line in UTF-16 units, from 1. */
  column?: number;
  /** Guest errors, and code that was refused: the lines around the position, marked; for people and models. */
  codeFrame?: string;
  /** Guest errors: stack with frames of guest code only. */
  stack?: string;
  /** Findings of validation: `ERR_VALIDATION_FAILED`, `ERR_IMPORT_NOT_ALLOWED`, and warnings of code that ran. */
  diagnostics?: Diagnostic[];
  /** `ERR_IMPORT_NOT_ALLOWED`: the module. */
  module?: string;
  /** `ERR_TOOL_PROXY_FAIL`: the tool, with its namespaces: `Host.readDoc`. */
  tool?: string;
  /** `ERR_TOOL_PROXY_FAIL`: the tool is not to blame; its arguments or its result could not cross. */
  bridge?: boolean;
  /** `ERR_EXEC_TIMEOUT`: the deadline of the run in milliseconds. */
  timeoutMs?: number;
  /** `ERR_EXEC_TIMEOUT`: the run was ended by its `signal`. */
  aborted?: boolean;
  /** `ERR_EXEC_TIMEOUT`: `"deadline"`, `"cpu"`, or what the signal says; `ERR_WORKER_LOST` and the browser's errors: what is known. */
  reason?: string;
  /** `ERR_EXEC_TIMEOUT`, with the reason `"cpu"`: the limit in milliseconds. */
  maxCpuMs?: number;
  /** Whether what earlier runs have defined is gone: of `ERR_EXEC_TIMEOUT` with `keepState`, `ERR_MEMORY_LIMIT_EXCEEDED`, and of Python. */
  stateLost?: boolean;
  /** `ERR_MAX_OPS_EXCEEDED`: the limit. */
  maxOperations?: number;
  /** `ERR_TOOL_CALL_LIMIT_EXCEEDED`: the limit. */
  maxToolCalls?: number;
  /** `ERR_TOOL_CALL_LIMIT_EXCEEDED` of a page that has made too many requests: the limit of these. */
  requests?: number;
  /** `ERR_MEMORY_LIMIT_EXCEEDED`: the limit. */
  limitBytes?: number;
  /** `ERR_MEMORY_LIMIT_EXCEEDED`: what was held then, where that is known. */
  usedBytes?: number;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: the limit. */
  maxTransferBytes?: number;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: what was too large: `"output"` or `"variables"`. */
  value?: string;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: its size, if that is known. */
  bytes?: number;
  /** As {@link CodeOutput.recovered}. */
  recovered?: true;
  /** `ERR_INVALID_STATE`: the state in which the call was not legal. */
  state?: ExecutorState;
  /** `ERR_INVALID_STATE`: the call. */
  operation?: string;
  /** What to do, where more is known than the code of the error says: the name that was meant, for example. */
  hint?: string;
  [fact: string]: unknown;
}

/** Property of all errors of executors. Errors of another copy of this package have it too. */
const IS_EXECUTOR_ERROR = Symbol.for('ses-executor:error');

/**
 * Every promise of an executor that fails rejects with one of these (section 8); but arguments of the wrong type or
 * value are a `TypeError` or `RangeError`, since the program that embeds the executor is at fault then.
 */
export class ExecutorError extends Error {
  /** `"ExecutorError"`, or the name of a derived class. */
  declare readonly name: string;
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  /** Whether rewritten code, or the same call later, can succeed. */
  retryable: boolean;
  details?: ExecutorErrorDetails;
  /** What the run had logged until then; absent if there was no run. */
  logs?: string;
  /** The same logs, call by call. Not enumerable. */
  logEntries?: LogEntry[];
  /** Figures of the run that failed; absent if there was no run. Not enumerable. */
  stats?: RunStats;
  /** `ERR_TOOL_PROXY_FAIL`: what the host's tool threw, the value itself; absent if 64 calls have failed since. */
  cause?: unknown;

  /**
   * @param message - one line, by the template of the code (section 8.2)
   * @param fields - the facts; `cause` as that of `Error`
   */
  constructor(
    message: string,
    fields: Omit<NormalizedExecutorError, 'message'> & { logEntries?: LogEntry[]; stats?: RunStats; cause?: unknown },
  ) {
    super(message, 'cause' in fields ? { cause: fields.cause } : undefined);
    const { code, severity, retryable, details, logs, logEntries, stats } = fields;
    this.code = code;
    this.severity = severity;
    this.retryable = retryable;
    this.details = details;
    if (logs !== undefined) this.logs = logs;
    // The entries repeat `logs`, so they are left out when an error is printed.
    Object.defineProperty(this, 'logEntries', { value: logEntries, writable: true, configurable: true });
    Object.defineProperty(this, 'stats', { value: stats, writable: true, configurable: true });
    // Until the text of the stack is created, V8 keeps the receivers of its functions alive: executors, and with them
    // their isolates.
    void this.stack;
  }

  /**
   * The whole failure as text, for the model that wrote the code: what happened and where, the lines around that place, the
   * findings of validation, and what to do next. Give models this rather than `message`, which is the one line of the
   * specification.
   */
  get explanation(): string {
    return explanationOf(this);
  }

  /** The failure as plain data (section 8.1). */
  toJSON(): NormalizedExecutorError {
    const { code, severity, message, retryable, details, logs } = this;
    return { code, severity, message, retryable, details, logs };
  }
}
Object.defineProperty(ExecutorError.prototype, IS_EXECUTOR_ERROR, { value: true });
// A process may have two copies of this package: two versions, or the dependencies of two packages.
Object.defineProperty(ExecutorError, Symbol.hasInstance, {
  value(this: unknown, value: unknown) {
    if (this !== ExecutorError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && IS_EXECUTOR_ERROR in value;
  },
  writable: true,
  configurable: true,
});
Object.defineProperty(ExecutorError.prototype, 'name', {
  value: 'ExecutorError',
  writable: true,
  configurable: true,
});

/**
 * An error as the table of errors describes it.
 *
 * @internal
 * @param params what its message needs
 */
export function errorOf(
  code: ExecutorErrorCode,
  params: Record<string, string | number>,
  details: ExecutorErrorDetails,
  reason = '',
): ExecutorError {
  const row = errorRow(code);
  if (row === undefined) throw new Error(`there is no error ${code}`);
  const message = row.message.replace(/\{(\w+)\}/g, (_, name) => String(params[name])) + reason;
  return new ExecutorError(message, { code, severity: row.severity, retryable: row.retryable, details });
}

/**
 * The failure of a run whose signal had been aborted before it began: as a run that is aborted, but nothing has
 * started, so the executor stays as it is.
 *
 * @internal
 * @param timeoutMs absent where the run's deadline is not known
 */
export function abortedBeforeStart(reason: unknown, timeoutMs?: number): ExecutorError {
  const details = { aborted: true, reason: reasonText(reason) };
  if (timeoutMs !== undefined) return errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, ...details });
  const { code, severity, retryable } = errorRow('ERR_EXEC_TIMEOUT') as ErrorRow;
  return new ExecutorError(`Execution aborted: ${details.reason}`, { code, severity, retryable, details });
}

/**
 * A value that structured clone refuses. The message names the path of the offending part.
 *
 * @internal
 */
export class UncloneableError extends TypeError {}

/**
 * A value whose wire would be larger than `maxTransferBytes`.
 *
 * @internal
 */
export class TransferLimitError extends RangeError {}

/**
 * Code of errors about `maxTransferBytes`, the guest's too.
 *
 * @internal
 */
export const TRANSFER_LIMIT_CODE = 'ERR_TRANSFER_LIMIT_EXCEEDED';

/**
 * The failure of a call with a value that is not even written, since it is larger than the limit.
 *
 * @internal
 * @param value which of the call's values
 */
export function transferLimitExceeded(maxTransferBytes: number, value: string): ExecutorError {
  return errorOf(TRANSFER_LIMIT_CODE, { limit: maxTransferBytes }, { maxTransferBytes, value });
}

/**
 * Returns the reason of an aborted signal as one string.
 *
 * @internal
 */
export function reasonText(reason: unknown): string {
  if (reason === undefined) return 'aborted';
  const { message } = describeThrown(reason);
  return message === '' ? 'aborted' : message;
}

/** UTF-16 units of an error's text that cross to the guest; the rest is cut. */
const MAX_TEXT = 32_768;

/**
 * Name, message and code of whatever was thrown: no stack, no paths of the host. Never throws, whatever getters and
 * proxies do.
 *
 * @internal
 */
export function describeThrown(thrown: unknown): { name: string; message: string; code?: string | number } {
  const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
  const name = isObject ? read(thrown, 'name') : undefined;
  const message = isObject ? read(thrown, 'message') : thrown;
  const code = isObject ? read(thrown, 'code') : undefined;
  const described = {
    name: typeof name === 'string' && name !== '' ? cut(name) : 'Error',
    message: cut(text(message === undefined && isObject ? thrown : message)),
  };
  return typeof code === 'string' || typeof code === 'number'
    ? { ...described, code: typeof code === 'string' ? cut(code) : code }
    : described;
}

function read(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}

/** Of objects only the JSON form: `util.inspect` would print the stacks of errors inside them. */
function text(value: unknown) {
  try {
    const isPrimitive = (typeof value !== 'object' || value === null) && typeof value !== 'function';
    if (typeof value === 'bigint' && isLongBigint(value)) return bigintText(value);
    if (isPrimitive) return String(value);
    return (isSmall(value) ? JSON.stringify(value) : undefined) ?? describe(value);
  } catch {
    return describe(value);
  }
}

function cut(long: string) {
  return long.length > MAX_TEXT ? `${long.slice(0, MAX_TEXT)}...` : long;
}
