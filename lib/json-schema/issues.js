// @ts-check
'use strict';

const { describe } = require('../contract/describe');

// What is wrong with a value, as texts. Values, names and schemas come from guests and third parties: each is shown up to a length.

/** Characters of a value that is shown. */
const MAX_VALUE = 60;
/** Parts of an array or object that may be shown. */
const MAX_VALUE_PARTS = 20;
const MAX_NAME = 100;
const MAX_PATTERN = 200;
const MAX_MEMBERS = 20;

/** @typedef {{ path: string, message: string, keyword: string, reason: string }} SchemaIssue */

/**
 * @param {readonly (string | number)[]} path
 * @param {string} keyword
 * @param {{ inside?: string, reason: string, value?: unknown }} what `inside`: a property of the value at `path`; `value`: what
 *   was given
 * @returns {SchemaIssue}
 */
function issueOf(path, keyword, { inside, reason, ...given }) {
  const at = pathText(inside === undefined ? path : [...path, inside]);
  const got = 'value' in given ? `, got ${shown(given.value)}` : '';
  return { path: at, message: `${at === '' ? 'the object' : at} ${reason}${got}`, keyword, reason };
}

/** @param {readonly (string | number)[]} path */
function pathText(path) {
  return path.map((key) => cut(String(key), MAX_NAME)).join('.');
}

/** @param {readonly unknown[]} values */
function oneOfText(values) {
  const texts = values.slice(0, MAX_MEMBERS).map((value) => shortJson(value) ?? describe(value));
  return `must be one of ${texts.join(', ')}${values.length > MAX_MEMBERS ? ' and others' : ''}`;
}

/** @param {unknown} value */
function constText(value) {
  return `must be ${shortJson(value) ?? describe(value)}`;
}

/** @param {string} pattern */
function patternText(pattern) {
  return `must match pattern "${cut(pattern, MAX_PATTERN)}"`;
}

/** @param {string} name */
function nameText(name) {
  return cut(name, MAX_NAME);
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value !== 'object' || value === null) return describe(value);
  const text = shortJson(value);
  return text === undefined || text.length > MAX_VALUE ? describe(value) : text;
}

/**
 * JSON of a value that has few parts and short texts.
 *
 * @param {unknown} root
 * @returns {string | undefined}
 */
function shortJson(root) {
  const open = [root];
  for (let parts = 0; open.length > 0; parts++) {
    const value = open.pop();
    if (parts > MAX_VALUE_PARTS || (typeof value === 'string' && value.length > MAX_NAME)) return undefined;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) && value.length > MAX_VALUE_PARTS) return undefined;
    for (const key in value) {
      if (open.length > MAX_VALUE_PARTS || key.length > MAX_NAME) return undefined;
      open.push(/** @type {any} */ (value)[key]);
    }
  }
  return JSON.stringify(root);
}

/**
 * @param {string} text
 * @param {number} length
 */
function cut(text, length) {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

module.exports = { constText, issueOf, nameText, oneOfText, pathText, patternText };
