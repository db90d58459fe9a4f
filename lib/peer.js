// @ts-check
'use strict';

/**
 * Loads an optional peer dependency.
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
    const missing = packages.includes(' ') ? 'packages that are not installed' : 'a package that is not installed';
    throw new Error(`${user} needs ${missing}; run: npm install ${packages}`, { cause });
  }
}

module.exports = { requirePeer };
