// @ts-check
'use strict';

const { isPlainObject } = require('../../contract/describe');

/** What a model is told whose input is none. */
const WRONG_INPUT = 'the input must be an object with the string `code`';

/**
 * Whether a model has given what the code tool takes: not all frameworks check that.
 *
 * @param {unknown} value
 * @returns {value is { code: string }}
 */
function isCodeInput(value) {
  return isPlainObject(value) && typeof value.code === 'string';
}

module.exports = { WRONG_INPUT, isCodeInput };
