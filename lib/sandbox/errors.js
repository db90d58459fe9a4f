// @ts-check
'use strict';

const { ExecutorError, describeThrown } = require('../contract/errors');
const { GENERAL_HINTS, failureOf } = require('../contract/failure');
const { failureText } = require('../contract/failure-text');

/** What the writer of a program can do about failures that only sandboxes have. */
const HINTS = /** @type {Record<string, string>} */ ({
  ERR_SDK_CALL_LIMIT_EXCEEDED: 'Make fewer calls in one program: ask for more at once, or do the rest in another one.',
  ERR_INVALID_PARAMS: 'Read the schema with spec.method("source.method") and correct the parameters.',
  ERR_UNKNOWN_METHOD: 'Look for the method with spec.find("words").',
  ERR_INVALID_STATE_OUTPUT: 'Give back a state whose paths above are corrected.',
  ERR_SANDBOX_BUSY: 'Try again in a moment.',
});

/** A failure of a `SandboxManager`. Documented in `index.d.ts`. */
class SandboxError extends ExecutorError {
  /**
   * @param {string} message
   * @param {import('../contract/errors').ExecutorErrorFields} fields
   */
  constructor(message, fields) {
    super(message, fields);
    /** @type {import('./index').ExecutionReport | undefined} */
    this.report = undefined;
    Object.defineProperty(this, 'report', { value: undefined, writable: true, enumerable: false, configurable: true });
  }

  /** Of what is lost it says nothing: no execution has anything of an earlier one. */
  get explanation() {
    return failureText(failureOf(/** @type {any} */ (this)));
  }
}
Object.defineProperty(SandboxError.prototype, 'name', { value: 'SandboxError', writable: true, configurable: true });
Object.defineProperty(SandboxError.prototype, GENERAL_HINTS, { value: HINTS });

/** What a guest's call of an adapter fails with: what the adapter threw, as far as guests see it. */
class SdkCallError extends Error {
  /**
   * @param {string} source
   * @param {string} method
   * @param {unknown} thrown
   * @param {number} at as that of `InvalidCallError`
   */
  constructor(source, method, thrown, at) {
    const { name, message, code } = describeThrown(thrown);
    super(message, { cause: thrown });
    this.name = name;
    if (code !== undefined) this.code = code;
    this.path = `sdk.${source}.${method}`;
    this.at = at;
  }
}

/**
 * Parameters that are not valid, or a method that there is not.
 */
class InvalidCallError extends TypeError {
  /**
   * @param {'ERR_INVALID_PARAMS' | 'ERR_UNKNOWN_METHOD' | 'ERR_INVALID_SCHEMA'} code
   * @param {string} message
   * @param {{ path: string, issues?: import('./index').SandboxIssue[] }} facts
   */
  constructor(code, message, { path, issues }) {
    super(message);
    this.code = code;
    this.path = path;
    this.issues = issues;
    /** Byte offset of the call in the code, -1 if the stack says it. */
    this.at = -1;
  }
}

/** @param {number} limit */
function callLimitExceeded(limit) {
  return new SandboxError(`SDK call limit exceeded (${limit})`, {
    code: 'ERR_SDK_CALL_LIMIT_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    details: { maxSdkCalls: limit },
  });
}

/** @param {import('./index').SandboxIssue[]} issues */
function invalidState(issues) {
  const first = issues.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new SandboxError(`Invalid state: ${first.join('; ')}`, {
    code: 'ERR_INVALID_STATE_OUTPUT',
    severity: 'ERROR',
    retryable: true,
    details: { issues },
  });
}

/** @param {unknown} thrown by a state schema */
function schemaFailed(thrown) {
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
 * The failure of an execution for which a function of the host has not answered in time.
 *
 * @param {string} what
 * @param {string} option where the host has given it
 * @param {number} timeoutMs
 */
function hostTooSlow(what, option, timeoutMs) {
  return new SandboxError(`${what} has not answered within ${timeoutMs} ms`, {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    details: { timeoutMs, reason: option },
  });
}

/** @param {number} timeoutMs */
function readingTooSlow(timeoutMs) {
  return new SandboxError(`The program could not be read within ${timeoutMs} ms`, {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    details: { timeoutMs },
  });
}

/** @param {number} limit in bytes */
function codeTooLarge(limit) {
  const message = `The code takes more than ${limit} bytes`;
  return new SandboxError('Code validation failed', {
    code: 'ERR_VALIDATION_FAILED',
    severity: 'ERROR',
    retryable: true,
    details: { diagnostics: [{ rule: 'code_too_large', severity: 'ERROR', message }] },
  });
}

/** @param {number} maxQueued */
function busy(maxQueued) {
  return new SandboxError(`Sandbox is busy (${maxQueued} executions wait)`, {
    code: 'ERR_SANDBOX_BUSY',
    severity: 'ERROR',
    retryable: true,
    details: { maxQueued },
  });
}

function closed() {
  return new SandboxError('Sandbox is closed', {
    code: 'ERR_SANDBOX_CLOSED',
    severity: 'ERROR',
    retryable: false,
    details: {},
  });
}

module.exports = {
  InvalidCallError,
  SandboxError,
  SdkCallError,
  busy,
  callLimitExceeded,
  closed,
  codeTooLarge,
  hostTooSlow,
  invalidState,
  readingTooSlow,
  schemaFailed,
};
