import { wrapDetails } from '../contract/error-details';
import { ExecutorError, describeThrown } from '../contract/errors';
import { failureOf } from '../contract/failure';
import { failureText } from '../contract/failure-text';
import { GENERAL_HINTS, MANAGER_HINTS } from '../contract/hints';
import type { ExecutorErrorCode } from '../contract/error-codes';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { ExecutionReport } from './report';

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

/** The facts of a failure. Some codes exist for a `SandboxManager` only. */
type Fields = Omit<ConstructorParameters<typeof ExecutorError>[1], 'code' | 'details'> &
  Pick<SandboxError, 'code' | 'details'>;

/** As a value, an {@link ExecutorError} with further codes. */
export const SandboxError: {
  new (message: string, fields: Fields): SandboxError;
  readonly prototype: SandboxError;
} = class SandboxError extends ExecutorError {
  report: ExecutionReport | undefined;

  constructor(message: string, fields: Fields) {
    super(message, fields as ConstructorParameters<typeof ExecutorError>[1]);
    this.report = undefined;
    Object.defineProperty(this, 'report', { value: undefined, writable: true, enumerable: false, configurable: true });
  }

  /** Does not mention lost state: no execution has state from an earlier one. */
  get explanation(): string {
    return failureText(failureOf(this));
  }
} as never;
Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError', writable: true, configurable: true });
Object.defineProperty(SandboxError.prototype, GENERAL_HINTS, { value: MANAGER_HINTS });

/**
 * The error that a guest's adapter call fails with: the adapter's error, reduced to the parts that guests may see.
 *
 * @internal
 */
export class SdkCallError extends Error {
  code;
  path;
  at;

  /** @param at as in `InvalidCallError` */
  constructor(source: string, method: string, thrown: unknown, at: number) {
    const { name, message, code } = describeThrown(thrown);
    super(message, { cause: thrown });
    wrapDetails(this, thrown);
    this.name = name;
    if (code !== undefined) this.code = code;
    this.path = `sdk.${source}.${method}`;
    this.at = at;
  }
}

/**
 * The parameters are not valid, or the method does not exist.
 *
 * @internal
 */
export class InvalidCallError extends TypeError {
  code;
  path;
  issues;
  at;

  constructor(
    code: 'ERR_INVALID_PARAMS' | 'ERR_UNKNOWN_METHOD' | 'ERR_INVALID_SCHEMA',
    message: string,
    { path, issues }: { path: string; issues?: SandboxIssue[] },
  ) {
    super(message);
    this.code = code;
    this.path = path;
    this.issues = issues;
    /** Byte offset of the call in the code, or -1 if the stack holds the position. */
    this.at = -1;
  }
}

/** @internal */
export function callLimitExceeded(limit: number) {
  return new SandboxError(`SDK call limit exceeded (${limit})`, {
    code: 'ERR_SDK_CALL_LIMIT_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    details: { maxSdkCalls: limit },
  });
}

/** @internal */
export function invalidState(issues: SandboxIssue[]) {
  const first = issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new SandboxError(`Invalid state: ${first.join('; ')}`, {
    code: 'ERR_INVALID_STATE_OUTPUT',
    severity: 'ERROR',
    retryable: true,
    details: { issues },
  });
}

/**
 * @param thrown by a state schema
 *
 * @internal
 */
export function schemaFailed(thrown: unknown) {
  const { name, message } = describeThrown(thrown);
  return new SandboxError(`The state schema has failed: ${name}: ${message}`, {
    code: 'ERR_INVALID_SCHEMA',
    severity: 'ERROR',
    retryable: false,
    details: { reason: 'stateSchema' },
    cause: thrown,
  });
}

/**
 * The failure of an execution when a host function has not answered in time.
 * @internal
 * @param option where the host passed the function
 */
export function hostTooSlow(what: string, option: string, timeoutMs: number) {
  return new SandboxError(`${what} did not answer within ${timeoutMs} ms`, {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    details: { timeoutMs, reason: option },
  });
}

/** @internal */
export function readingTooSlow(timeoutMs: number) {
  return new SandboxError(`The program could not be read within ${timeoutMs} ms`, {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    details: { timeoutMs },
  });
}

/**
 * @param limit in bytes
 *
 * @internal
 */
export function codeTooLarge(limit: number) {
  const message = `The code takes more than ${limit} bytes`;
  return new SandboxError('Code validation failed', {
    code: 'ERR_VALIDATION_FAILED',
    severity: 'ERROR',
    retryable: true,
    details: { diagnostics: [{ rule: 'code_too_large', severity: 'ERROR', message }] },
  });
}

/** @internal */
export function busy(maxQueued: number) {
  return new SandboxError(`SandboxManager is busy (${maxQueued} executions wait)`, {
    code: 'ERR_SANDBOX_BUSY',
    severity: 'ERROR',
    retryable: true,
    details: { maxQueued },
  });
}

/** @internal */
export function closed() {
  return new SandboxError('SandboxManager is closed', {
    code: 'ERR_SANDBOX_CLOSED',
    severity: 'ERROR',
    retryable: false,
    details: {},
  });
}
