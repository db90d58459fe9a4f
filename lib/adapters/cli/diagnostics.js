// @ts-check
'use strict';

const { failureText } = require('../../contract/failure-text');
const { codeFrame } = require('../../ses/code-frame');

/** @typedef {import('../../../index').ExecutorErrorDetails} Details */

/**
 * Diagnostics as people read them: place, severity, message, rule, the lines of code and what to do.
 *
 * @param {import('../../../index').Diagnostic[]} diagnostics
 * @param {string} file
 * @param {string} code
 */
function diagnosticsText(diagnostics, file, code) {
  return diagnostics.flatMap((diagnostic) => diagnosticLines(diagnostic, file, code)).join('\n');
}

/**
 * The failure of a program as people read it.
 *
 * @param {import('../../contract/errors').ExecutorError} error
 * @param {string} file
 * @param {string} code
 */
function errorText({ code: errorCode, message: whole, details = {} }, file, code) {
  // The logs are told as they come, and not by the message as well.
  const message = typeof details.cause === 'string' ? details.cause : whole;
  const { diagnostics, line, column, codeFrame: frame, hint } = /** @type {Details} */ (details);
  const place = line === undefined ? [] : [`  at ${file}:${line}:${column}`];
  // The frame shows the one place that matters.
  const shown = line === undefined ? { diagnostics } : { codeFrame: frame };
  return failureText(
    { message, ...shown },
    {
      head: () => [`${errorCode}: ${message}`, ...place],
      finding: (diagnostic) => diagnosticLines(diagnostic, file, code),
      tail: () => [
        ...(hint === undefined ? [] : [`  hint: ${hint}`]),
        ...(shown.diagnostics === undefined ? [''] : []),
      ],
    },
  );
}

/**
 * Lines, of which the last is empty.
 *
 * @param {import('../../../index').Diagnostic} diagnostic
 * @param {string} file
 * @param {string} code
 */
function diagnosticLines({ rule, severity, message, location, fix }, file, code) {
  const place = location === undefined ? file : `${file}:${location.line}:${location.column}`;
  return [
    `${place}: ${severity} ${message} (${rule})`,
    ...(location === undefined ? [] : [codeFrame(code, location.line, location.column, message)]),
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
    '',
  ];
}

module.exports = { diagnosticsText, errorText };
