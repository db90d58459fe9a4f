import { bigintText, describe, isLongBigint } from './describe';
import { errorRow } from './error-table';
import { explanationOf } from './failure';
import { isSmall } from './render';
import type { ErrorRow } from './error-table';
import type { LogEntry, RunStats } from '../../index';

/** Facts about a failure, next to its message. */
export interface ExecutorErrorFields {
  code: string;
  severity: 'FATAL' | 'ERROR' | 'WARN';
  retryable: boolean;
  details?: Record<string, unknown>;
  logs?: string;
  logEntries?: LogEntry[];
  stats?: RunStats;
  cause?: unknown;
}

/** Property of all errors of executors, which those of another copy of this package have as well. */
const IS_EXECUTOR_ERROR = Symbol.for('ses-executor:error');

/** A failure of an executor (specification, section 8). Documented in `index.d.ts`. */
export class ExecutorError extends Error {
  code;
  severity;
  retryable;
  details;
  logs;

  /** A process may have two copies of this package, in two versions or as the dependency of two packages. */
  static [Symbol.hasInstance](value: unknown) {
    if (this !== ExecutorError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && IS_EXECUTOR_ERROR in value;
  }

  constructor(message: string, fields: ExecutorErrorFields) {
    super(message, 'cause' in fields ? { cause: fields.cause } : undefined);
    const { code, severity, retryable, details, logs, logEntries, stats } = fields;
    this.code = code;
    this.severity = severity;
    this.retryable = retryable;
    this.details = details;
    if (logs !== undefined) this.logs = logs;
    // They repeat what `logs` says, so an error that is printed leaves them out.
    Object.defineProperty(this, 'logEntries', { value: logEntries, writable: true, configurable: true });
    Object.defineProperty(this, 'stats', { value: stats, writable: true, configurable: true });
    // Until its text is made V8 keeps what the functions of the stack were called on: executors, and so their isolates.
    void this.stack;
  }

  /** All that can be said of it, for a model that wrote the code. */
  get explanation() {
    return explanationOf(this as any);
  }

  /** The normalized payload of section 8.1, which `JSON.stringify` uses. */
  toJSON() {
    const { code, severity, message, retryable, details, logs } = this;
    return { code, severity, message, retryable, details, logs };
  }
}
Object.defineProperty(ExecutorError.prototype, IS_EXECUTOR_ERROR, { value: true });
Object.defineProperty(ExecutorError.prototype, 'name', {
  value: 'ExecutorError',
  writable: true,
  configurable: true,
});

/**
 * An error as the table of errors describes it.
 *
 * @param params what its message needs
 */
export function errorOf(code: string, params: Record<string, string | number>, details: Record<string, unknown>) {
  const row = errorRow(code);
  if (row === undefined) throw new Error(`there is no error ${code}`);
  const message = row.message.replace(/\{(\w+)\}/g, (_, name) => String(params[name]));
  return new ExecutorError(message, { code, severity: row.severity, retryable: row.retryable, details });
}

/**
 * The failure of a run whose signal had been aborted before it began: as a run that is aborted, but nothing has
 * started, so the executor stays as it is.
 *
 * @param timeoutMs absent where the run's deadline is not known
 */
export function abortedBeforeStart(reason: unknown, timeoutMs?: number) {
  const details = { aborted: true, reason: reasonText(reason) };
  if (timeoutMs !== undefined) return errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, ...details });
  const { code, severity, retryable } = errorRow('ERR_EXEC_TIMEOUT') as ErrorRow;
  return new ExecutorError(`Execution aborted: ${details.reason}`, { code, severity, retryable, details });
}

/** A value that structured clone refuses. The message names the path of the offending part. */
export class UncloneableError extends TypeError {}

/** A value whose wire would be larger than `maxTransferBytes`. */
export class TransferLimitError extends RangeError {}

/** Code of errors about `maxTransferBytes`, the guest's too. */
export const TRANSFER_LIMIT_CODE = 'ERR_TRANSFER_LIMIT_EXCEEDED';

/**
 * The failure of a call with a value that is not even written, since it is larger than the limit.
 *
 * @param value which of the call's values
 */
export function transferLimitExceeded(maxTransferBytes: number, value: string) {
  return errorOf(TRANSFER_LIMIT_CODE, { limit: maxTransferBytes }, { maxTransferBytes, value });
}

/** Returns the reason of an aborted signal as one string. */
export function reasonText(reason: unknown) {
  if (reason === undefined) return 'aborted';
  const { message } = describeThrown(reason);
  return message === '' ? 'aborted' : message;
}

/** UTF-16 units of an error's text that cross to the guest; the rest is cut. */
const MAX_TEXT = 32_768;

/**
 * Name, message and code of whatever was thrown: no stack, no paths of the host. Never throws, whatever getters and
 * proxies do.
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

function read(object: any, key: string) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}

/** Of objects only what JSON shows: `util.inspect` would print the stacks of errors inside them. */
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
