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
 * @throws {TypeError | RangeError}
 */
function refuseWrongOptions(options) {
  const { modules } = checkOptions(options);
  nativeModules(modules, new ToolRegistry());
}

module.exports = { refuseWrongOptions };
