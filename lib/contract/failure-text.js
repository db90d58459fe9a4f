// @ts-check
'use strict';

/**
 * What is told of a failure: a `RunFailure`, or an error with its details.
 *
 * @typedef {Partial<import('./run-failure').RunFailure> & { message: string }} Told
 */

/**
 * How somebody reads it: lines for each part.
 *
 * @template {Told} T
 * @typedef {object} Reader
 * @property {(failure: T) => string[]} head
 * @property {(finding: import('../../index').Diagnostic, failure: T) => string[]} finding of validation
 * @property {(failure: T) => string[]} tail
 */

/** @type {Reader<Told>} */
const MODEL = {
  head: ({ code, message, line, column }) => [
    `${code}: ${message}${line === undefined ? '' : ` (line ${line}, column ${column})`}`,
  ],
  finding: ({ location, message, fix }, failure) => {
    // The message and the hint have it already.
    if (failure.message.endsWith(message)) return [];
    const place = location === undefined ? '' : `line ${location.line}: `;
    return [`Note: ${place}${message}${fix === undefined ? '' : ` (${fix})`}`];
  },
  tail: ({ hint }) => [`Hint: ${hint}`],
};

/**
 * A failure as text: what it is, the code around it, the findings of validation, what to do.
 *
 * @template {Told} T
 * @param {T} failure
 * @param {Reader<T>} [reader] by default a model that wrote the code
 */
function failureText(failure, reader = /** @type {Reader<any>} */ (MODEL)) {
  const { codeFrame, diagnostics = [] } = failure;
  return [
    ...reader.head(failure),
    ...(codeFrame === undefined ? [] : [codeFrame.trimEnd()]),
    ...diagnostics.flatMap((finding) => reader.finding(finding, failure)),
    ...reader.tail(failure),
  ].join('\n');
}

module.exports = { failureText };
