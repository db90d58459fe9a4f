import { errorRow } from './error-table';
import { failureText } from './failure-text';
import { hintOf, isCpuSpent, withStateLost } from './hints';
import type { Foreign } from './foreign';
import type { RunFailure } from './run-failure';
import type { Diagnostic } from './diagnostic';
import type { ExecutorError, ExecutorErrorDetails } from './errors';

/** the lines around a place */
export type CodeFrame = (code: string, line: number, column: number, message: string) => string;

const LINE_FEED = 0x0a;

/**
 * Everything that a model needs to act on a failure. It follows from the error alone, unless only a part of the code is
 * shown.
 */
export function failureOf(error: ExecutorError, shown?: Shown): RunFailure {
  const { details = {} } = error;
  const diagnostics = details.diagnostics?.filter(({ severity }) => severity !== 'INFO') ?? [];
  const found = diagnostics.find(({ severity }) => severity === 'ERROR');
  const place = details.line === undefined ? found?.location : details;
  return {
    code: error.code,
    message: messageOf(error, found),
    ...(shown === undefined ? frameOf(place, details) : frameIn(shown, place, reasonOf(error, found))),
    ...(details.tool !== undefined && { tool: details.tool }),
    ...(diagnostics.length > 0 && { diagnostics }),
    hint: hintOf(error, found?.fix),
    retryable: error.retryable,
  };
}

/** A section of the code that ran. */
export interface Shown {
  code: string;
  codeFrame: CodeFrame;
}

export type Place = { line?: number; column?: number };

function frameOf(place: Place | undefined, { codeFrame }: ExecutorErrorDetails) {
  if (place?.line === undefined || place.column === undefined) return undefined;
  const { line, column } = place;
  return { line, column, ...(typeof codeFrame === 'string' && { codeFrame }) };
}

/** @param place in the code that ran */
function frameIn({ code, codeFrame }: Shown, place: Place | undefined, reason: string) {
  const position = placeIn(code, place);
  return position && { ...position, codeFrame: codeFrame(code, position.line, position.column, reason) };
}

function reasonOf({ message, details = {} }: ExecutorError, found: Diagnostic | undefined) {
  return details.name === undefined ? (found?.message ?? message) : errorText(details);
}

/** The complete explanation of a failure, for a model that wrote the code. */
export function explanationOf(error: ExecutorError) {
  const failure = failureOf(error);
  const isLost = losesState(error) || error.details?.recovered === true;
  return failureText(isLost ? { ...failure, hint: withStateLost(failure.hint) } : failure);
}

/**
 * Whether a failure loses the definitions of earlier runs, because its isolate is given up.
 *
 * @param error an `ExecutorError`, or the same as data
 */
export function losesState(error: Foreign) {
  const { code, details } = error ?? {};
  if (details?.parked) return true;
  if (details?.stateLost !== undefined) return details.stateLost;
  // The run was aborted before it began, so it has no figures. An error that arrives as data does not show this.
  const neverBegan = details?.aborted && 'stats' in error && error.stats === undefined;
  return errorRow(code)?.leaves === 'DIRTY' && !neverBegan;
}

function messageOf({ code, message, details = {} }: ExecutorError, found: Diagnostic | undefined) {
  if (details.aborted) return `Execution aborted: ${details.reason}`;
  if (isCpuSpent(details)) return `Execution used up its ${details.maxCpuMs}ms of processor time`;
  // The message also contains the logs. For a replay, `cause` is an identifier for programs.
  if (typeof details.cause === 'string' && code !== 'ERR_REPLAY_DIVERGED') return details.cause;
  return code === 'ERR_VALIDATION_FAILED' && found !== undefined ? `${message}: ${found.message}` : message;
}

function placeIn(code: string, place: Place | undefined) {
  if (place?.line === undefined || place.column === undefined) return undefined;
  const { line, column } = place;
  // A position outside the code is in the call that was added to it.
  return column < 1 || !hasLine(code, line) ? undefined : { line, column };
}

function hasLine(code: string, line: number) {
  let lines = 1;
  for (let at = 0; at < code.length && lines < line; at++) if (code.charCodeAt(at) === LINE_FEED) lines++;
  return line <= lines;
}

function errorText({ name, message = '' }: ExecutorErrorDetails) {
  return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : message;
}
