// @ts-check
'use strict';

const { errorRow } = require('./error-table');

/**
 * @typedef {import('./run-failure').RunFailure} RunFailure
 * @typedef {(code: string, line: number, column: number, message: string) => string} CodeFrame the lines around a place
 */

const ABORTED_HINT = 'The caller has ended this run; the code is not to blame.';
const OTHER_HINT = 'The code is not to blame. Running it again does not help unless the program around it changes.';

/**
 * @param {import('../../index').ExecutorError} error
 * @param {string} code what the position is in
 * @param {object} kind
 * @param {CodeFrame} kind.codeFrame
 * @param {number} [kind.before] UTF-16 units that ran before the code, on its first line
 * @returns {RunFailure}
 */
function failureOf(error, code, { codeFrame, before = 0 }) {
  const { details = {} } = error;
  const diagnostics = details.diagnostics?.filter(({ severity }) => severity !== 'INFO') ?? [];
  const found = diagnostics.find(({ severity }) => severity === 'ERROR');
  const position = placeIn(code, details.line === undefined ? found?.location : details, before);
  const reason = details.name === undefined ? (found?.message ?? error.message) : errorText(details);
  return {
    code: error.code,
    message: messageOf(error, found),
    ...(position !== undefined && {
      ...position,
      codeFrame: codeFrame(code, position.line, position.column, reason),
    }),
    ...(details.tool !== undefined && { tool: details.tool }),
    ...(diagnostics.length > 0 && { diagnostics }),
    hint: details.aborted ? ABORTED_HINT : (found?.fix ?? errorRow(error.code)?.hint ?? OTHER_HINT),
    retryable: error.retryable,
  };
}

/**
 * Whether what earlier runs have defined is lost with a failure, since the isolate is given up.
 *
 * @param {any} error an `ExecutorError`, or what one is as data
 */
function losesState(error) {
  const { code, details } = error ?? {};
  if (details?.parked) return true;
  // It was aborted before it began: it has no figures, as data it does not say.
  const neverBegan = details?.aborted && 'stats' in error && error.stats === undefined;
  return errorRow(code)?.leaves === 'DIRTY' && !neverBegan;
}

/**
 * @param {import('../../index').ExecutorError} error
 * @param {import('../../index').Diagnostic | undefined} found
 */
function messageOf({ code, message, details }, found) {
  if (details?.aborted) return `Execution aborted: ${details.reason}`;
  return code === 'ERR_VALIDATION_FAILED' && found !== undefined ? `${message}: ${found.message}` : message;
}

/**
 * @param {string} code
 * @param {{ line?: number, column?: number } | undefined} place
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

module.exports = { failureOf, losesState };
