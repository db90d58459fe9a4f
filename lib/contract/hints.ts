import { causesText } from './causes-text';
import { errorRow } from './error-table';
import { MISSING_HINT } from './missing-names';
import type { ExecutorErrorDetails } from './errors';

// All hints for the author of failed code are chosen here, with two exceptions: `crates/hints` finds the mistake in a
// line that throws, and `REFUSALS` of `lifecycle.ts` are about calls of the host.

/** Added to the hint of a failure after which all definitions of earlier runs are lost. */
export const STATE_LOST = 'Variables and functions of earlier runs are gone: define again what is still needed.';
/** For a run that ended in time and whose output was not read in time. */
export const LATE_OUTPUT_HINT = 'The code ended in time, but reading its output takes too long: return less.';
/** For a request of a page whose `network` allows no host. */
export const NO_NETWORK_HINT = 'There is no network here: only `data:` and `blob:` URLs can be fetched.';
const ABORTED_HINT = 'The caller has ended this run; the code is not to blame.';
const VARIABLES_HINT =
  'The variables that the program around the code sends take more than `maxTransferBytes`: it must send less, or have a larger limit. The code is not to blame.';
const CPU_HINT = 'Compute less in one run. Time in which it waits does not count.';
const OTHER_HINT = 'The code is not to blame. Running it again does not help unless the program around it changes.';

/** Property of error classes with other general hints than the error table: `PYTHON_HINTS`, `MANAGER_HINTS`. */
export const GENERAL_HINTS = Symbol('hints');
/** Replaces hints of the error table, which are written for JavaScript. */
export const PYTHON_HINTS: Record<string, string> = {
  ERR_MAX_OPS_EXCEEDED:
    'Write loops that end earlier, or use built-ins such as sum and sorted, and the functions that are provided.',
  ERR_EXEC_TIMEOUT: 'Do less in one run, and wait less.',
};
/** Hints for failures that only a `SandboxManager` has. */
export const MANAGER_HINTS: Record<string, string> = {
  ERR_SDK_CALL_LIMIT_EXCEEDED: 'Make fewer calls in one program: request more per call, or do the rest in another one.',
  ERR_INVALID_PARAMS: 'Read the schema with spec.method("source.method") and correct the parameters.',
  ERR_UNKNOWN_METHOD: 'Look for the method with spec.find("words").',
  ERR_INVALID_STATE_OUTPUT: 'Return a state in which the paths above are corrected.',
  ERR_SANDBOX_BUSY: 'Try again in a moment.',
};

/**
 * The hint of a failure for models.
 *
 * @param error an `ExecutorError`. If a tool has failed, the hint also has the causes of its error
 * @param fix of the first error that validation has found
 */
export function hintOf(error: Failed, fix: string | undefined) {
  const hint = hintWithout(error, fix);
  return error.details?.undone === undefined ? hint : `${hint} ${error.details.undone}`;
}

/** The same without the effects of a run that was lost. */
function hintWithout(error: Failed, fix: string | undefined) {
  const { code, details = {} } = error;
  if (details.aborted) return ABORTED_HINT;
  if (code === 'ERR_TRANSFER_LIMIT_EXCEEDED' && details.value === 'variables') return VARIABLES_HINT;
  if (isCpuSpent(details)) return CPU_HINT;
  const general = error[GENERAL_HINTS]?.[code] ?? errorRow(code)?.hint;
  // The message of a failure in Python has the causes.
  const isOfTool = code === 'ERR_TOOL_PROXY_FAIL' && error[GENERAL_HINTS] !== PYTHON_HINTS;
  const causes = isOfTool ? causesText(error.cause) : undefined;
  const ofError = causes === undefined ? general : `${general} ${causes}`;
  return fix ?? details.hint ?? error[MISSING_HINT] ?? ofError ?? OTHER_HINT;
}

interface Failed {
  code: string;
  details?: ExecutorErrorDetails;
  /** what a tool has thrown */
  cause?: unknown;
  [GENERAL_HINTS]?: Record<string, string>;
  [MISSING_HINT]?: string;
}

/** Adds to a hint that the definitions of earlier runs are lost. Fixes of findings end without a full stop. */
export function withStateLost(hint: string) {
  return `${hint}${/[.?]$/.test(hint) ? '' : '.'} ${STATE_LOST}`;
}

/** Whether a run has used up its processor time. */
export function isCpuSpent({ aborted, reason, maxCpuMs }: ExecutorErrorDetails = {}) {
  return !aborted && reason === 'cpu' && maxCpuMs !== undefined;
}

/**
 * `details.hint` of an error that code has thrown.
 *
 * @param found the hint of `crates/hints` for the line
 * @param causes the cause of the error, or its errors
 */
export function hintOfThrown(found: string | undefined, causes: string | undefined) {
  return found ?? causes;
}

/**
 * `details.hint` of a run that exceeded its deadline.
 *
 * @param hint the hint that the error already has
 * @param unanswered tool calls whose time counts
 */
export function hintOfTimeout(hint: string | undefined, unanswered: number) {
  if (hint !== undefined || unanswered === 0) return hint;
  const calls = unanswered === 1 ? 'a tool call' : `${unanswered} tool calls`;
  const fact = `At the deadline the host had not answered ${calls}`;
  return `${errorRow('ERR_EXEC_TIMEOUT')?.hint} ${fact}: waiting for tools counts, unless \`toolTimeoutMs\` limits calls.`;
}
/** The fact in a hint of {@link hintOfTimeout}. It names an option that `SandboxManager` does not have. */
const UNANSWERED = / At the deadline the host had not answered [^:]*: .*/;

/** A hint in the terms of Python. Facts about a run follow the general hint, so only the general part is replaced. */
export function hintInPython(code: string, hint: string | undefined) {
  const [general, own] = [errorRow(code)?.hint, PYTHON_HINTS[code]];
  return general && own && hint ? hint.replace(general, own) : hint;
}

/** V8's message for an object that cannot be changed. */
const FROZEN = /^Cannot (?:assign to read only|add|delete) property /;
const FROZEN_HINT =
  'The state and everything in it is frozen: make a new one, or change a copy, `structuredClone(state)`.';
/** V8's message for a global that only programs of another kind can use. */
const ABSENT = /^(sdk|utils|state) is not defined$/;
const ABSENT_HINTS = {
  sdk: 'A search has only `tools` and `spec`: call `sdk` in a program that is executed.',
  utils: 'A search has only `tools` and `spec`: call `utils` in a program that is executed.',
  state: 'Only a mutation has the state.',
};
/** V8's message for a missing method. */
const MISSING = /^sdk\.([\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+) is not a function$/u;

/**
 * `details.hint` of an error that a program of a `SandboxManager` has thrown, if it differs from that of other code.
 *
 * @param kind of the execution
 * @param unknownMethod known facts about a method that its source does not have
 */
export function hintOfProgram(
  message: string,
  kind: string,
  unknownMethod: (source: string, method: string) => string | undefined,
) {
  if (kind === 'mutate' && FROZEN.test(message)) return FROZEN_HINT;
  const [, absent] = ABSENT.exec(message) ?? [];
  if (absent !== undefined) return ABSENT_HINTS[absent as keyof typeof ABSENT_HINTS];
  const missing = MISSING.exec(message);
  return missing === null ? undefined : unknownMethod(missing[1], missing[2]);
}

/** The note that an error was thrown in the preparation of an isolate of a `SandboxManager`. */
const FROM_PREPARATION = /It was thrown in [^\n]*\(step-1\.js\)[^\n]*/;
/** The note that another run declares a name. The search for it also finds names in the preparation. */
const FROM_OTHERS = /`[^`\n]*` was declared in another run, [^\n]*/;
/** Most methods that a hint names. */
const MAX_NAMES = 5;

/**
 * A hint in words for programs of a `SandboxManager`: without facts about the preparation of their isolate.
 *
 * @param unanswered methods that were unanswered at the deadline
 */
export function hintForManager(hint: string, unanswered: string[]) {
  const more = unanswered.length > MAX_NAMES ? ' and others' : '';
  const names = unanswered.slice(0, MAX_NAMES).join(', ') + more;
  const waited = names === '' ? '' : ` At the deadline there was no answer from ${names}: waiting for it counts.`;
  const own = hint.replace(FROM_PREPARATION, '').replace(FROM_OTHERS, '').replace(UNANSWERED, waited).trim();
  return own === '' ? undefined : own;
}
