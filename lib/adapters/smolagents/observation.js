// @ts-check
'use strict';

const { isPlainObject } = require('../../contract/describe');
const { losesState } = require('../../contract/failure');
const { failureText } = require('../../contract/failure-text');
const { isSmall, outputText } = require('../../contract/render');

/**
 * What the model is told of a run. Documented in `index.d.ts`.
 *
 * @param {{ output?: unknown, logs: string }} result
 * @returns {string}
 */
function formatObservation({ output, logs }) {
  const observation = `Execution logs:\n${logs}`;
  return output === undefined ? observation : `${observation}\nLast output from code snippet:\n${valueText(output)}`;
}

/**
 * What the model is told of a step that failed. Documented in `index.d.ts`.
 *
 * @param {any} error
 * @returns {string}
 */
function formatErrorObservation(error) {
  const { code, logs, details } = error ?? {};
  const { codeFrame, diagnostics } = details ?? {};
  const message = error instanceof Error ? error.message : String(error);
  return failureText(
    {
      code,
      message,
      logs: typeof logs === 'string' ? logs : '',
      isStateLost: losesState(error),
      ...(typeof codeFrame === 'string' && { codeFrame }),
      ...(Array.isArray(diagnostics) && { diagnostics }),
    },
    AGENT,
  );
}

/** @type {import('../../contract/failure-text').Reader<any>} */
const AGENT = {
  head: ({ message, logs }) => [...(logs === '' ? [] : [`Execution logs:\n${logs}`]), `Error:\n${message}`],
  finding: ({ severity, message, location, fix }) => {
    const place = location === undefined ? '' : ` at line ${location.line}, column ${location.column}`;
    return [`${severity}${place}: ${message}${fix === undefined ? '' : `. ${fix}`}`];
  },
  tail: ({ code, isStateLost }) => [
    ...(isStateLost ? ['The variables and functions of earlier steps are lost: define again what you need.'] : []),
    // It already says what to send.
    ...(code === 'ERR_CODE_NOT_FOUND'
      ? []
      : ['Correct the cause in your next code block. If that has failed before, try a different approach.']),
  ],
};

/**
 * Strings as they are, what JSON can say as JSON, everything else as the console shows it.
 *
 * @param {unknown} value
 */
function valueText(value) {
  if (typeof value === 'string') return value;
  return isSmall(value) && isJson(value, new Set())
    ? JSON.stringify(value, null, 2)
    : outputText(value, { breakLength: 120 });
}

/** Levels that are looked into. */
const MAX_DEPTH = 200;

/**
 * Whether JSON tells all of a value, and once.
 *
 * @param {unknown} value
 * @param {Set<unknown>} seen
 * @param {number} [depth]
 * @returns {boolean}
 */
function isJson(value, seen, depth = 0) {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  if (seen.has(value) || depth === MAX_DEPTH || ('toJSON' in value && typeof value.toJSON === 'function')) return false;
  seen.add(value);
  // Holes of an array are `undefined` here.
  const members = Array.isArray(value) ? Array.from(value) : Object.values(value);
  return members.every((member) => isJson(member, seen, depth + 1));
}

module.exports = { formatErrorObservation, formatObservation };
