import { bigintText, describe, isLongBigint } from './describe';
import { errorRow } from './error-table';
import { explanationOf } from './failure';
import { readProperty } from './read-property';
import { isSmall } from './render';
import type { Diagnostic } from './diagnostic';
import type { ExecutorErrorCode } from './error-codes';
import type { ErrorRow } from './error-table';
import type { DurableState, ExecutorState, LogEntry, RunStats } from './executor-types';

/** Severity of a failure (section 8.2). */
export type ExecutorErrorSeverity = 'FATAL' | 'ERROR' | 'WARN';

/** A failure as plain data (section 8.1), as `JSON.stringify(error)` writes it. */
export interface NormalizedExecutorError {
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  message: string;
  retryable: boolean;
  details?: ExecutorErrorDetails;
  logs?: string;
}

/** Facts about a failure. The code determines which fields are present; see `docs/reference/errors.md`. */
export interface ExecutorErrorDetails {
  /** Guest errors: `name` of the error; `null` if the thrown value is not an error. */
  name?: string | null;
  /** Guest errors: message of the error. */
  message?: string;
  /** Guest errors: `code` of the error, if it has one. */
  code?: string | number;
  /** Guest errors: line in the code that was passed to `run()`, from 1. */
  line?: number;
  /** Guest errors: column in that line in UTF-16 units, from 1. */
  column?: number;
  /** Guest errors and refused code: the lines around the position, with a marker, for people and models. */
  codeFrame?: string;
  /** Guest errors: stack with frames of guest code only. */
  stack?: string;
  /**
   * Findings of validation: for `ERR_VALIDATION_FAILED` and `ERR_IMPORT_NOT_ALLOWED`, and warnings about code that ran.
   */
  diagnostics?: Diagnostic[];
  /** `ERR_IMPORT_NOT_ALLOWED`: the module. */
  module?: string;
  /** `ERR_TOOL_PROXY_FAIL`: the tool, with its namespaces: `Host.readDoc`. */
  tool?: string;
  /**
   * `ERR_TOOL_PROXY_FAIL`: true if the tool did not fail itself, but its arguments or its result could not be
   * transferred.
   */
  bridge?: boolean;
  /** `ERR_EXEC_TIMEOUT`: the deadline of the run in milliseconds. */
  timeoutMs?: number;
  /** `ERR_EXEC_TIMEOUT`: the run was ended by its `signal`. */
  aborted?: boolean;
  /**
   * `ERR_EXEC_TIMEOUT`: `"deadline"`, `"cpu"`, or the reason of the signal. `ERR_WORKER_LOST` and errors of browsers:
   * the known cause.
   */
  reason?: string;
  /** `ERR_EXEC_TIMEOUT`, with the reason `"cpu"`: the limit in milliseconds. */
  maxCpuMs?: number;
  /**
   * Whether the definitions of earlier runs are lost. Present for `ERR_MEMORY_LIMIT_EXCEEDED`, for `ERR_EXEC_TIMEOUT`
   * with `keepState`, and for Python.
   */
  stateLost?: boolean;
  /** `ERR_MAX_OPS_EXCEEDED`: the limit. */
  maxOperations?: number;
  /** `ERR_TOOL_CALL_LIMIT_EXCEEDED`: the limit. */
  maxToolCalls?: number;
  /** `ERR_TOOL_CALL_LIMIT_EXCEEDED` of a page that has made too many requests: the limit of requests. */
  requests?: number;
  /** `ERR_MEMORY_LIMIT_EXCEEDED`: the limit. */
  limitBytes?: number;
  /** `ERR_MEMORY_LIMIT_EXCEEDED`: the memory in use at that moment, if it is known. */
  usedBytes?: number;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: the limit. */
  maxTransferBytes?: number;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: the value that was too large, `"output"` or `"variables"`. */
  value?: string;
  /** `ERR_TRANSFER_LIMIT_EXCEEDED`: the size of the value, if it is known. */
  bytes?: number;
  /** `DurableSession`: the calls that a lost run had made, for programs. */
  lostCalls?: {
    key: string;
    name: string;
    /** the outcome of its `revert`, if the tool has one and the call had finished */
    revert?: 'reverted' | 'failed' | 'inDoubt';
    /** why it failed */
    error?: { name: string; message: string };
  }[];
  /** `DurableSession`: the same as a sentence for the author of the code. */
  undone?: string;
  /** See {@link CodeOutput.recovered}. */
  recovered?: true;
  /** `ERR_INVALID_STATE`: the state in which the call is not allowed. */
  state?: ExecutorState | DurableState;
  /** `ERR_INVALID_STATE`: the call. */
  operation?: string;
  /** What to do, if more is known than the code of the error implies: for example, the name that was probably meant. */
  hint?: string;
  [fact: string]: unknown;
}

/** Property of all errors of executors. Errors of another copy of this package have it, too. */
const IS_EXECUTOR_ERROR = Symbol.for('ses-executor:error');

/**
 * Failure of an executor. All promises of executors reject with this class (section 8), except for wrong arguments:
 * these cause a `TypeError` or `RangeError`, because the calling program is at fault.
 */
export class ExecutorError extends Error {
  /** `"ExecutorError"`, or the name of a derived class. */
  declare readonly name: string;
  code: ExecutorErrorCode;
  severity: ExecutorErrorSeverity;
  /** Whether rewritten code, or the same call later, can succeed. */
  retryable: boolean;
  details?: ExecutorErrorDetails;
  /** The logs of the run until it failed. Absent if there was no run. */
  logs?: string;
  /** The same logs, one entry per console call. Not enumerable. */
  logEntries?: LogEntry[];
  /** Figures of the failed run. Absent if there was no run. Not enumerable. */
  stats?: RunStats;
  /** `ERR_TOOL_PROXY_FAIL`: the value that the host's tool threw. Absent if more than 64 calls have failed since. */
  cause?: unknown;

  /**
   * @param message - one line, from the template of the code (section 8.2)
   * @param fields - the facts; `cause` has the same meaning as for `Error`
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
   * The whole failure as text, for the model that wrote the code: what happened and where, the lines around that
   * position, the findings of validation, and what to do next. Send this to models instead of `message`, which is the
   * one line of the specification.
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
// A process may contain two copies of this package: two versions, or dependencies of two packages.
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
 * Makes an error from its row in the table of errors.
 *
 * @internal
 * @param params parameters of its message
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
 * The failure of a run whose signal was aborted before the run began. It equals that of an aborted run, but nothing was
 * started, so the state of the executor does not change.
 *
 * @internal
 * @param timeoutMs absent if the deadline of the run is not known
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
 * A value whose serialized size exceeds `maxTransferBytes`.
 *
 * @internal
 */
export class TransferLimitError extends RangeError {}

/**
 * Code of errors about `maxTransferBytes`, in guests too.
 *
 * @internal
 */
export const TRANSFER_LIMIT_CODE = 'ERR_TRANSFER_LIMIT_EXCEEDED';

/**
 * The failure of a call whose value was not even serialized, because it is larger than the limit.
 *
 * @internal
 * @param value which value of the call
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

/** UTF-16 units of an error's text that are transferred to the guest. The rest is cut off. */
const MAX_TEXT = 32_768;

/**
 * Name, message and code of a thrown value, without stacks and paths of the host. Never throws, even for getters and
 * proxies that throw.
 *
 * @internal
 */
export function describeThrown(thrown: unknown): { name: string; message: string; code?: string | number } {
  const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
  const name = isObject ? readProperty(thrown, 'name') : undefined;
  const message = isObject ? readProperty(thrown, 'message') : thrown;
  const code = isObject ? readProperty(thrown, 'code') : undefined;
  const described = {
    name: typeof name === 'string' && name !== '' ? cut(name) : 'Error',
    message: cut(text(message === undefined && isObject ? thrown : message)),
  };
  return typeof code === 'string' || typeof code === 'number'
    ? { ...described, code: typeof code === 'string' ? cut(code) : code }
    : described;
}

/** For objects, the JSON form: `util.inspect` would print the stacks of errors inside them. */
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
