import { errorRow } from '../contract/error-table';
import { ExecutorError } from '../contract/errors';
import { GENERAL_HINTS } from '../contract/failure';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { CodeFrame } from '../contract/failure';

/** Hints for Python code. The error table words these hints for JavaScript. */
const OWN_HINTS: Record<string, string> = {
  ERR_MAX_OPS_EXCEEDED:
    'Write loops that end earlier, or use built-ins such as sum and sorted, and the functions that are provided.',
  ERR_EXEC_TIMEOUT: 'Do less in one run, and wait less.',
};

/**
 * Code that failed. `message` is `Error executing code: <cause>\nLogs:\n<logs>` (section 7.2), where the cause is the
 * exception with its line. `code` and `details` contain the same information for programs. `details` has `name`,
 * `message`, `line`, `column`, `traceback` and more.
 */
export class AgentExecutionError extends ExecutorError {
  declare readonly name: 'AgentExecutionError';
}
Object.defineProperty(AgentExecutionError.prototype, 'name', {
  value: 'AgentExecutionError',
  writable: true,
  configurable: true,
});
Object.defineProperty(AgentExecutionError.prototype, GENERAL_HINTS, { value: OWN_HINTS });

/**
 * The failure of a run, in the words of the specification.
 *
 * @internal
 */
export function agentError(error: ExecutorError, code: string, codeFrame: CodeFrame | undefined) {
  const { severity, retryable, stats } = error;
  const cause = error.details?.cause ?? error.message;
  const details: ExecutorErrorDetails = { ...error.details, cause };
  const general = errorRow(error.code)?.hint;
  const hint = OWN_HINTS[error.code];
  // Facts about this run follow the general hint, so only the general part is replaced.
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
 * @internal
 */
export function toolError({ code, severity, retryable, message, details: all = {} }: ExecutorError) {
  const { cause = message, ...details } = all;
  return new ExecutorError(String(cause), { code, severity, retryable, details });
}

function reasonOf({ name, message }: ExecutorErrorDetails) {
  return message ? `${name}: ${message}` : String(name);
}

/**
 * The log in the format of the specification: each entry ends with a newline.
 *
 * @internal
 */
export function logText({ logs = '', logEntries = [] }: { logs?: string; logEntries?: unknown[] }) {
  return logs === '' && logEntries.length === 0 ? '' : `${logs}\n`;
}
