// @ts-check
'use strict';

/**
 * Loads optional peer dependencies.
 *
 * @template T
 * @param {string} user what needs it
 * @param {string} packages what to install
 * @param {() => T} load
 * @throws {Error} that says what to install
 */
function requirePeer(user, packages, load) {
  try {
    return load();
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(`${user} needs packages that are not installed; run: npm install ${packages}`, { cause });
  }
}

module.exports = { requirePeer };
