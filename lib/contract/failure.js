// @ts-check
'use strict';

const { errorRow } = require('./error-table');
const { failureText } = require('./failure-text');

/**
 * @typedef {import('./run-failure').RunFailure} RunFailure
 * @typedef {(code: string, line: number, column: number, message: string) => string} CodeFrame the lines around a place
 */

/** Of errors of another language than the table's: their general hints, by codes. */
const GENERAL_HINTS = Symbol('hints');
/** Appended to the hint of a failure after which nothing of earlier runs is left. */
const STATE_LOST = 'Variables and functions of earlier runs are gone: define again what is still needed.';
const ABORTED_HINT = 'The caller has ended this run; the code is not to blame.';
const VARIABLES_HINT =
  'The variables that the program around the code sends take more than `maxTransferBytes`: it must send less, or have a larger limit. The code is not to blame.';
const CPU_HINT = 'Compute less in one run. Time in which it waits does not count.';
const OTHER_HINT = 'The code is not to blame. Running it again does not help unless the program around it changes.';

/**
 * What a model can do about a failure: all of it follows from the error, unless only a part of what ran is shown.
 *
 * @param {import('../../index').ExecutorError} error
 * @param {Shown} [shown]
 * @returns {RunFailure}
 */
function failureOf(error, shown) {
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
    hint: hintOf(error, found),
    retryable: error.retryable,
  };
}

/**
 * A part of the code that ran.
 *
 * @typedef {object} Shown
 * @property {string} code
 * @property {CodeFrame} codeFrame
 * @property {number} before UTF-16 units that ran before it, on its first line
 *
 * @typedef {{ line?: number, column?: number }} Place
 */

/**
 * @param {Place | undefined} place
 * @param {import('../../index').ExecutorErrorDetails} details
 */
function frameOf(place, { codeFrame }) {
  if (place?.line === undefined || place.column === undefined) return undefined;
  const { line, column } = place;
  return { line, column, ...(typeof codeFrame === 'string' && { codeFrame }) };
}

/**
 * @param {Shown} shown
 * @param {Place | undefined} place in what ran
 * @param {string} reason
 */
function frameIn({ code, codeFrame, before }, place, reason) {
  const position = placeIn(code, place, before);
  return position && { ...position, codeFrame: codeFrame(code, position.line, position.column, reason) };
}

/**
 * @param {import('../../index').ExecutorError} error
 * @param {import('../../index').Diagnostic | undefined} found
 */
function reasonOf({ message, details = {} }, found) {
  return details.name === undefined ? (found?.message ?? message) : errorText(details);
}

/**
 * @param {import('../../index').ExecutorError} error
 * @param {import('../../index').Diagnostic | undefined} found
 */
function hintOf(error, found) {
  const { code, details = {} } = error;
  if (details.aborted) return ABORTED_HINT;
  if (code === 'ERR_TRANSFER_LIMIT_EXCEEDED' && details.value === 'variables') return VARIABLES_HINT;
  if (isCpuSpent(details)) return CPU_HINT;
  const general = /** @type {any} */ (error)[GENERAL_HINTS]?.[code] ?? errorRow(code)?.hint;
  return found?.fix ?? details.hint ?? general ?? OTHER_HINT;
}

/**
 * All that can be said of a failure, for a model that wrote the code.
 *
 * @param {import('../../index').ExecutorError} error
 */
function explanationOf(error) {
  const failure = failureOf(error);
  const isLost = losesState(error) || error.details?.recovered === true;
  return failureText(isLost ? withStateLost(failure) : failure);
}

/**
 * A failure that also says that nothing of earlier runs is left. Fixes of findings end without a full stop.
 *
 * @param {RunFailure} failure
 * @returns {RunFailure}
 */
function withStateLost(failure) {
  const { hint } = failure;
  return { ...failure, hint: `${hint}${/[.?]$/.test(hint) ? '' : '.'} ${STATE_LOST}` };
}

/**
 * Whether what earlier runs have defined is lost with a failure, since the isolate is given up.
 *
 * @param {any} error an `ExecutorError`, or what one is as data
 */
function losesState(error) {
  const { code, details } = error ?? {};
  if (details?.parked) return true;
  if (details?.stateLost !== undefined) return details.stateLost;
  // It was aborted before it began: it has no figures, as data it does not say.
  const neverBegan = details?.aborted && 'stats' in error && error.stats === undefined;
  return errorRow(code)?.leaves === 'DIRTY' && !neverBegan;
}

/**
 * @param {import('../../index').ExecutorError} error
 * @param {import('../../index').Diagnostic | undefined} found
 */
function messageOf({ code, message, details = {} }, found) {
  if (details.aborted) return `Execution aborted: ${details.reason}`;
  if (isCpuSpent(details)) return `Execution used up its ${details.maxCpuMs}ms of processor time`;
  // The message has the logs, too.
  if (typeof details.cause === 'string') return details.cause;
  return code === 'ERR_VALIDATION_FAILED' && found !== undefined ? `${message}: ${found.message}` : message;
}

/**
 * @param {import('../../index').ExecutorErrorDetails} [details]
 * @returns {details is import('../../index').ExecutorErrorDetails}
 */
function isCpuSpent({ aborted, reason, maxCpuMs } = {}) {
  return !aborted && reason === 'cpu' && maxCpuMs !== undefined;
}

/**
 * @param {string} code
 * @param {Place | undefined} place
 * @param {number} before
 */
function placeIn(code, place, before) {
  if (place?.line === undefined || place.column === undefined) return undefined;
  const { line } = place;
  const column = line === 1 ? place.column - before : place.column;
  // What is not in the code is in the wrapper.
  return column < 1 || line > code.split('\n').length ? undefined : { line, column };
}

/** @param {import('../../index').ExecutorErrorDetails} details */
function errorText({ name, message = '' }) {
  return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : message;
}

module.exports = { GENERAL_HINTS, STATE_LOST, explanationOf, failureOf, losesState, withStateLost };
