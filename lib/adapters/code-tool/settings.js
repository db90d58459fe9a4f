// @ts-check
'use strict';

const { OPTION_NAMES, optionsOf } = require('../../contract/options');

/** Options of a code tool that are not the executor's. */
const OWN_OPTIONS = ['tools', 'executor', 'name', 'description', 'maxOutputChars', 'approve'];

/**
 * Options of the code tools of all frameworks, as an object that they can be taken from.
 *
 * @param {unknown} options
 * @throws {TypeError}
 */
function settingsOf(options) {
  return optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
}

module.exports = { OWN_OPTIONS, settingsOf };
