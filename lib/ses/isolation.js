// @ts-check
'use strict';

/**
 * Where programs of this package have guest code run that nobody has chosen for them: in a process of its own, but for Windows,
 * where there is none.
 *
 * @returns {'thread' | 'process'}
 */
function preferredIsolation() {
  return process.platform === 'win32' ? 'thread' : 'process';
}

module.exports = { preferredIsolation };
