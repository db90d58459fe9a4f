// @ts-check
'use strict';

/**
 * What a sandbox adds to a program, and how the program is written. None is added to one that does not parse. The work is done
 * on a thread of its own.
 *
 * @param {import('../../native').NativeSandboxRequest} request
 * @returns {Promise<import('../../native').NativeSandboxProgram>}
 */
async function sandboxProgram(request) {
  const native = require('../../native.cjs');
  return await native.sandboxProgram(request);
}

module.exports = { sandboxProgram };
