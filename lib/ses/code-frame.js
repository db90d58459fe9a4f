// @ts-check
'use strict';

/**
 * The lines of code around a place, marked.
 *
 * @param {string} code
 * @param {number} line from 1
 * @param {number} column in UTF-16 units, from 1
 * @param {string} message shown at the mark
 */
function codeFrame(code, line, column, message) {
  const native = require('../../native.cjs');
  return native.codeFrame(code, line, column, message).trimEnd();
}

module.exports = { codeFrame };
