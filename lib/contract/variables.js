// @ts-check
'use strict';

const { className, describe, isPlainObject } = require('./describe');
const { TransferLimitError, transferLimitExceeded } = require('./errors');

/**
 * @param {unknown} variables what `sendVariables()` was given
 * @returns {string[]} their names
 * @throws {TypeError}
 */
function namesOfVariables(variables) {
  if (isPlainObject(variables)) return Object.keys(/** @type {object} */ (variables));
  const got = describe(variables);
  const shown = got === 'an object' ? `an instance of ${className(/** @type {object} */ (variables))}` : got;
  throw new TypeError(`variables must be a plain object of values by name, got ${shown}`);
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
