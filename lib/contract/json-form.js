// @ts-check
'use strict';

const { inspect } = require('node:util');

/**
 * A replacer for `JSON.stringify`: what JSON has no form for gets the nearest one.
 *
 * @param {string} _key
 * @param {unknown} value
 */
function jsonForm(_key, value) {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(/** @type {any} */ (value));
  return value;
}

/**
 * An output as JSON can hold it: `undefined` becomes `null`, and what has no form at all, such as a cycle, the text
 * that `util.inspect` gives.
 *
 * @param {unknown} value
 * @returns {unknown} a value of its own
 */
function toJson(value) {
  try {
    return JSON.parse(JSON.stringify(value, jsonForm) ?? 'null');
  } catch {
    return inspect(value);
  }
}

/**
 * An output as people and models read it: a string as it is, anything else as Node.js prints it; nothing for
 * `undefined`.
 *
 * @param {unknown} output
 * @param {import('node:util').InspectOptions} [options]
 */
function outputText(output, options) {
  if (output === undefined) return '';
  return typeof output === 'string' ? output : inspect(output, { depth: 6, ...options });
}

module.exports = { jsonForm, outputText, toJson };
