// @ts-check
'use strict';

/** The methods that callers of an executor use. */
const METHODS = ['init', 'sendVariables', 'sendTools', 'run', 'cleanup'];

/**
 * Whether a value keeps the contract of executors, as far as can be seen.
 *
 * @param {any} value
 * @returns {value is import('../../index').Executor}
 */
function isExecutor(value) {
  if (typeof value !== 'object' || value === null || typeof value.state !== 'string') return false;
  return METHODS.every((name) => typeof value[name] === 'function');
}

module.exports = { isExecutor };
