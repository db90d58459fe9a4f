// @ts-check
'use strict';

const { inspect } = require('node:util');

const { isPlainObject } = require('../../contract/describe');

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
  const parts = typeof logs === 'string' && logs !== '' ? [`Execution logs:\n${logs}`] : [];
  parts.push(`Error:\n${error instanceof Error ? error.message : String(error)}`);
  if (typeof details?.codeFrame === 'string') parts.push(details.codeFrame.trimEnd());
  if (Array.isArray(details?.diagnostics)) parts.push(...details.diagnostics.map(diagnosticLine));
  // The isolate is given up, with all that guest code had defined.
  if (code === 'ERR_EXEC_TIMEOUT' || details?.parked) {
    parts.push('The variables and functions of earlier steps are lost: define again what you need.');
  }
  // It already says what to send.
  if (code !== 'ERR_CODE_NOT_FOUND') {
    parts.push('Correct the cause in your next code block. If that has failed before, try a different approach.');
  }
  return parts.join('\n');
}

/** @param {import('../../../index').Diagnostic} diagnostic */
function diagnosticLine({ severity, message, location, fix }) {
  const place = location === undefined ? '' : ` at line ${location.line}, column ${location.column}`;
  return `${severity}${place}: ${message}${fix === undefined ? '' : `. ${fix}`}`;
}

/**
 * Strings as they are, what JSON can say as JSON, everything else as the console shows it.
 *
 * @param {unknown} value
 */
function valueText(value) {
  if (typeof value === 'string') return value;
  return isJson(value, new Set()) ? JSON.stringify(value, null, 2) : inspect(value, { depth: 6, breakLength: 120 });
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
