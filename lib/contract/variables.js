// @ts-check
'use strict';

const { describe, isPlainObject } = require('./describe');
const { TransferLimitError, transferLimitExceeded } = require('./errors');

/**
 * @param {unknown} variables what `sendVariables()` was given
 * @returns {string[]} their names
 * @throws {TypeError}
 */
function namesOfVariables(variables) {
  if (isPlainObject(variables)) return Object.keys(/** @type {object} */ (variables));
  throw new TypeError(`variables must be an object of values by name, got ${describe(variables)}`);
}

/**
 * Variables as they cross.
 *
 * @template T
 * @param {Record<string, unknown>} variables
 * @param {string[]} names of them
 * @param {number} maxBytes
 * @param {(values: unknown[], path: string, maxBytes: number, shown: object) => T} encode
 * @returns {T}
 * @throws {import('./errors').ExecutorError} if they are larger
 */
function encodeVariables(variables, names, maxBytes, encode) {
  const values = names.map((name) => variables[name]);
  try {
    return encode(values, 'variables', maxBytes, variables);
  } catch (error) {
    throw error instanceof TransferLimitError ? transferLimitExceeded(maxBytes, 'variables') : error;
  }
}

module.exports = { encodeVariables, namesOfVariables };
