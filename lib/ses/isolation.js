// @ts-check
'use strict';

/**
 * Where programs of this package have guest code run that nobody has chosen for them: in a process of its own, if there can
 * be one here.
 *
 * @returns {'thread' | 'process'}
 */
function preferredIsolation() {
  const { hasWorkers } = require('../../native.cjs');
  return hasWorkers() ? 'process' : 'thread';
}

module.exports = { preferredIsolation };
