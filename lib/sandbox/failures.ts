import { ExecutorError, reasonText } from '../contract/errors';
import { hintForManager, hintOfProgram } from '../contract/hints';
import { withEntries } from '../contract/logs';
import { codeFrame } from '../ses/code-frame';
import { HOST } from './bootstrap';
import { InvalidCallError, SandboxError, SdkCallError } from './errors';
import { placeOf } from './program';
import type { Foreign } from '../contract/foreign';
import type { LogEntry } from '../contract/executor-types';
import type { Execution } from './execution';
import type { Program } from '../ses/program';
import type { Methods } from './adapters';

/** Matches stack frames of the isolate's preparation. */
const PREPARATION = /\n[^\n]*\bstep-1\.js:[^\n]*/g;

/**
 * Matches the executor's warning about calls that were not awaited. The warning uses the names of the executor's tools.
 */
const DROPPED = new RegExp(
  `^(\\d+ tool calls? (?:was|were) not awaited and dropped when the run ended): .*\\b${HOST}\\.[^;]*(; .*)$`,
  'gm',
);

/** The log of a successful program, in terms of `sdk`. Call it before the execution ends. */
export function logsOf(outcome: { logs: string; logEntries: LogEntry[] }, execution: Execution) {
  const names = execution.unanswered.join(', ');
  const told = (text: string) =>
    text.replace(DROPPED, (_, said, way) => (names === '' ? said : `${said}: ${names}`) + way);
  return withEntries({ logs: told(outcome.logs) }, () =>
    outcome.logEntries.map((entry) => ({ ...entry, message: told(entry.message) })),
  );
}

/** The failure of an execution as its caller receives it: in terms of the code and of `sdk`. */
export function failureOf(thrown: unknown, program: Program, execution: Execution, methods: Methods) {
  if (!(thrown instanceof ExecutorError)) return thrown;
  const of = thrown as unknown as import('../contract/errors').ExecutorError;
  const error = (execution.failure ?? inTermsOfSdk(thrown, execution, methods)) as Foreign;
  if (error.logs === undefined && thrown.logs !== undefined) error.logs = thrown.logs;
  if (error !== thrown) withEntries(error, () => of.logEntries ?? [], false);
  error.stats ??= of.stats;
  const facts = { ...thrown.details, ...error.details };
  const at = (thrown.cause as Foreign)?.at;
  error.details = detailsOf(facts, program, execution, typeof at === 'number' ? at : -1);
  return error;
}

function inTermsOfSdk(error: ExecutorError, { kind }: Execution, methods: Methods) {
  const { code, severity, retryable, details = {}, cause } = error;
  const fields = { code, severity, retryable, details };
  if (cause instanceof InvalidCallError) {
    const facts = { ...details, tool: cause.path, ...(cause.issues && { issues: cause.issues }) };
    return new SandboxError(cause.message, {
      ...fields,
      code: cause.code,
      retryable: cause.code !== 'ERR_INVALID_SCHEMA',
      details: facts,
    });
  }
  if (cause instanceof SdkCallError) {
    return new SandboxError(error.message, {
      ...fields,
      details: { ...details, tool: cause.path },
      cause: cause.cause,
    });
  }
  const unknownMethod = (source: string, method: string) => methods.unknown(source, method);
  const hint = typeof details.message === 'string' ? hintOfProgram(details.message, kind, unknownMethod) : undefined;
  return new SandboxError(error.message, {
    ...fields,
    details: hint === undefined ? details : { ...details, hint },
    ...(cause !== undefined && { cause }),
  });
}

/** @param at byte offset of the failed call, or -1 if it is not known */
function detailsOf(
  { aborted, reason, timeoutMs, ...details }: Record<string, Foreign>,
  program: Program,
  execution: Execution,
  at: number,
) {
  // If the host ended the execution, the executor's message only describes how it ended.
  const facts =
    execution.failure !== undefined ? details : { ...details, ...withoutUndefined({ aborted, reason, timeoutMs }) };
  if (typeof facts.tool === 'string' && facts.tool.startsWith(HOST)) delete facts.tool;
  if (typeof facts.stack === 'string') facts.stack = stackOf(facts.stack, program);
  if (typeof facts.hint === 'string') {
    const hint = hintForManager(facts.hint, execution.unanswered);
    if (hint === undefined) delete facts.hint;
    else facts.hint = hint;
  }
  if (Array.isArray(facts.diagnostics)) {
    facts.diagnostics = facts.diagnostics.map((diagnostic: Foreign) => diagnosticOf(diagnostic, program));
  }
  if (typeof facts.line === 'number') facts.column = program.columnOf(facts.line, facts.column);
  else if (at >= 0) Object.assign(facts, placeOf(program.source, at));
  const [place, message] = headlineOf(facts);
  // The executor's frame contains the lines of the extended program.
  if (place !== undefined) facts.codeFrame = codeFrame(program.code, place.line, place.column, message);
  return facts;
}

/** The error's message, and its position. */
function headlineOf(facts: Foreign): [place: { line: number; column: number } | undefined, message: string] {
  if (typeof facts.line === 'number') return [facts, facts.name ? `${facts.name}: ${facts.message}` : facts.message];
  const first = facts.diagnostics?.find(({ severity }: Foreign) => severity === 'ERROR');
  return [first?.location, first?.message];
}

function stackOf(stack: string, program: Program) {
  return stack.replace(PREPARATION, '').replace(/step-(\d+)\.js:(\d+):(\d+)/g, (_, step, line, column) => {
    return `program.js:${line}:${program.columnOf(Number(line), Number(column))}`;
  });
}

function diagnosticOf(diagnostic: Foreign, program: Program) {
  const { location } = diagnostic;
  if (location === undefined) return diagnostic;
  return { ...diagnostic, location: { ...location, column: program.columnOf(location.line, location.column) } };
}

function withoutUndefined(facts: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** The failure of an execution whose caller aborted it while its program was not running. */
export function aborted(when: string, timeoutMs: number, reason: unknown) {
  return new SandboxError(`Execution aborted ${when}`, {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    details: { timeoutMs, aborted: true, reason: reasonText(reason) },
  });
}
