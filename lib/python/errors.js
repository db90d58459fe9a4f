// @ts-check
'use strict';

const { errorRow } = require('../contract/error-table');
const { ExecutorError } = require('../contract/errors');
const { GENERAL_HINTS } = require('../contract/failure');

/** What code can do about it, where the table says it for JavaScript. @type {Record<string, string>} */
const OWN_HINTS = {
  ERR_MAX_OPS_EXCEEDED:
    'Write loops that end earlier, or use built-ins such as sum and sorted, and the functions that are provided.',
  ERR_EXEC_TIMEOUT: 'Do less in one run, and wait less.',
};

/** Code that failed (specification, sections 4.5 and 7): the message is the specification's, the rest is `ExecutorError`'s. */
class AgentExecutionError extends ExecutorError {}
Object.defineProperty(AgentExecutionError.prototype, 'name', {
  value: 'AgentExecutionError',
  writable: true,
  configurable: true,
});
Object.defineProperty(AgentExecutionError.prototype, GENERAL_HINTS, { value: OWN_HINTS });

/**
 * The failure of a run as the specification words it.
 *
 * @param {import('../../index').ExecutorError} error
 * @param {string} code
 * @param {import('../contract/failure').CodeFrame | undefined} codeFrame
 */
function agentError(error, code, codeFrame) {
  const { severity, retryable, stats } = error;
  const cause = error.details?.cause ?? error.message;
  const details = { ...error.details, cause };
  const general = errorRow(error.code)?.hint;
  const hint = OWN_HINTS[error.code];
  // What is known of this run follows the general one.
  if (general && hint && details.hint) details.hint = details.hint.replace(general, hint);
  const logs = logText(error);
  if (codeFrame !== undefined && details.line !== undefined && details.column !== undefined) {
    details.codeFrame = codeFrame(code, details.line, details.column, reasonOf(details));
  }
  const message = `Error executing code: ${cause}\nLogs:\n${logs}`;
  const fields = { code: error.code, severity, retryable, details, logs, logEntries: error.logEntries, stats };
  return new AgentExecutionError(message, 'cause' in error ? { ...fields, cause: error.cause } : fields);
}

/**
 * The failure of the source of a Python tool.
 *
 * @param {import('../../index').ExecutorError} error
 */
function toolError({ code, severity, retryable, message, details: all }) {
  const { cause = message, ...details } = /** @type {Record<string, any>} */ (all ?? {});
  return new ExecutorError(cause, { code, severity, retryable, details });
}

/** @param {Record<string, any>} details */
function reasonOf({ name, message }) {
  return message ? `${name}: ${message}` : String(name);
}

/**
 * The log as the specification has it: each line ends.
 *
 * @param {{ logs?: string, logEntries?: unknown[] }} outcome
 */
function logText({ logs = '', logEntries = [] }) {
  return logs === '' && logEntries.length === 0 ? '' : `${logs}\n`;
}

module.exports = { AgentExecutionError, agentError, logText, toolError };
