// @ts-check
'use strict';

/** @type {typeof import('../../native') | undefined} */
let addon;

/**
 * What a sandbox adds to a program, and how the program is written. None is added to one that does not parse. The work is done
 * on a thread of its own.
 *
 * @param {import('../../native').NativeSandboxRequest} request
 * @returns {Promise<import('../../native').NativeSandboxProgram>}
 */
async function sandboxProgram(request) {
  // Kept, since `require` looks for what it has loaded each time.
  addon ??= require('../../native.cjs');
  return await addon.sandboxProgram(request);
}

module.exports = { sandboxProgram };
