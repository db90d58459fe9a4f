import { errorRow } from '../contract/error-table';
import { ExecutorError } from '../contract/errors';
import { GENERAL_HINTS, PYTHON_HINTS, hintInPython } from '../contract/hints';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { CodeFrame } from '../contract/failure';
import type { Figure } from './figures';

/**
 * Code that failed. `message` is `Error executing code: <cause>\nLogs:\n<logs>` (section 7.2), where the cause is the
 * exception with its line. `code` and `details` contain the same information for programs. `details` has `name`,
 * `message`, `line`, `column`, `traceback` and more.
 */
export class AgentExecutionError extends ExecutorError {
  declare readonly name: 'AgentExecutionError';
  /** Figures that the run had made before it failed. Not enumerable. Absent if there are none. */
  declare readonly artifacts?: Figure[];
}
Object.defineProperty(AgentExecutionError.prototype, 'name', {
  value: 'AgentExecutionError',
  writable: true,
  configurable: true,
});
Object.defineProperty(AgentExecutionError.prototype, GENERAL_HINTS, { value: PYTHON_HINTS });

/**
 * Facts that only the executor knows, to compare claims of guest code with.
 *
 * @internal
 */
export interface Rules {
  maxWhileIterations: number;
  authorizedImports: readonly string[];
}

/**
 * The failure of a run as far as it is true. Limits of loops and rules of imports are enforced by code that shares its
 * memory with the guest. A failure that names another limit, or an allowed module, is an error of the guest's code.
 *
 * @internal
 */
export function confirmed(error: ExecutorError, rules: Rules) {
  if (isTrue(error, rules)) return error;
  const row = errorRow('ERR_RUNTIME_EXCEPTION') as NonNullable<ReturnType<typeof errorRow>>;
  const { maxWhileIterations: _, module: __, hint: ___, ...details } = error.details ?? {};
  const { logs, logEntries, stats } = error;
  const fields = { code: 'ERR_RUNTIME_EXCEPTION' as const, severity: row.severity, retryable: row.retryable };
  return new ExecutorError(error.message, { ...fields, details, logs, logEntries, stats });
}

function isTrue({ code, details }: ExecutorError, rules: Rules) {
  const { maxWhileIterations, module } = details ?? {};
  if (code === 'ERR_MAX_OPS_EXCEEDED' && maxWhileIterations !== undefined) {
    return maxWhileIterations === rules.maxWhileIterations;
  }
  return code !== 'ERR_IMPORT_NOT_ALLOWED' || !isImportAllowed(String(module), rules.authorizedImports);
}

/** Whether guest code may import a module, as in `prelude/20_imports.py` (specification, section 5.3). */
function isImportAllowed(module: string, allowed: readonly string[]) {
  return allowed.some((entry) => {
    const name = entry.endsWith('.*') ? entry.slice(0, -2) : entry;
    return entry === '*' || module === name || module.startsWith(`${name}.`);
  });
}

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
export function logText(outcome: { logs?: string; logEntries?: unknown[] }) {
  const { logs = '' } = outcome;
  // Entries are made when they are asked for.
  return logs === '' && (outcome.logEntries ?? []).length === 0 ? '' : `${logs}\n`;
}
