import { ExecutorError } from '../contract/errors';
import { GENERAL_HINTS, PYTHON_HINTS, hintInPython } from '../contract/hints';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { CodeFrame } from '../contract/failure';

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
Object.defineProperty(AgentExecutionError.prototype, GENERAL_HINTS, { value: PYTHON_HINTS });

/**
 * The failure of a run, in the words of the specification.
 *
 * @internal
 */
export function agentError(error: ExecutorError, code: string, codeFrame: CodeFrame | undefined) {
  const { severity, retryable, stats } = error;
  const cause = error.details?.cause ?? error.message;
  const details: ExecutorErrorDetails = { ...error.details, cause };
  if (details.hint !== undefined) details.hint = hintInPython(error.code, details.hint);
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
