// @ts-check
'use strict';

const { nativeModules } = require('./modules');
const { checkOptions } = require('../contract/options');
const { ToolRegistry } = require('../contract/tool-registry');

/**
 * Refuses what the constructor of `SESExecutor` would refuse, for those who make their executors later. Nothing is made,
 * and the addon is not loaded.
 *
 * @param {unknown} options
 * @param {readonly string[]} [others] names of their own options, for messages
 * @throws {TypeError | RangeError}
 */
function refuseWrongOptions(options, others) {
  const { modules } = checkOptions(options, others);
  nativeModules(modules, new ToolRegistry());
}

module.exports = { refuseWrongOptions };
