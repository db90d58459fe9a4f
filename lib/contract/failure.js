// @ts-check
'use strict';

/**
 * @typedef {import('./run-failure').RunFailure} RunFailure
 * @typedef {(code: string, line: number, column: number, message: string) => string} CodeFrame the lines around a place
 */

/** What the writer of the code can do, where the message alone does not say it. */
const HINTS = /** @type {Record<string, string>} */ ({
  ERR_VALIDATION_FAILED: 'Nothing of the code has run. Correct it and send all of it again.',
  ERR_IMPORT_NOT_ALLOWED: 'Do without this module: use the language itself and the functions that are provided.',
  ERR_MAX_OPS_EXCEEDED: 'Write loops that end earlier, or use array methods and the functions that are provided.',
  ERR_EXEC_TIMEOUT: 'Do less in one run, and await only promises that settle.',
  ERR_MEMORY_LIMIT_EXCEEDED: 'Work on smaller pieces, and keep results instead of everything that led to them.',
  ERR_TOOL_CALL_LIMIT_EXCEEDED: 'Make fewer calls: ask for more at once, or do the rest in another run.',
  ERR_TRANSFER_LIMIT_EXCEEDED: 'Give back less: a part, a count or a summary.',
  ERR_TOOL_PROXY_FAIL: 'Correct the arguments, catch the error, or do without this call.',
  ERR_RUNTIME_EXCEPTION: 'Correct the code at that place and run it again.',
});
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
    hint: details.aborted ? ABORTED_HINT : (found?.fix ?? HINTS[error.code] ?? OTHER_HINT),
    retryable: error.retryable,
  };
}

/**
 * A failure as text: message, place, code frame, further findings, what to do.
 *
 * @param {RunFailure} failure
 */
function failureText({ code, message, line, column, codeFrame, diagnostics = [], hint }) {
  const lines = [`${code}: ${message}${line === undefined ? '' : ` (line ${line}, column ${column})`}`];
  if (codeFrame !== undefined) lines.push(codeFrame);
  for (const { location, message: finding, fix } of diagnostics) {
    // The message and the hint have it already.
    if (message.endsWith(finding)) continue;
    const place = location === undefined ? '' : `line ${location.line}: `;
    lines.push(`Note: ${place}${finding}${fix === undefined ? '' : ` (${fix})`}`);
  }
  return [...lines, `Hint: ${hint}`].join('\n');
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

module.exports = { failureOf, failureText };
