// @ts-check
'use strict';

const { endServers } = require('../mcp/child');

/** Has other servers, which signals to this process do not reach, end with it. */
function endServersBySignal() {
  for (const signal of /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM'])) {
    process.once(signal, () => {
      endServers();
      // Nobody listens any more: it ends this process.
      process.kill(process.pid, signal);
    });
  }
}

module.exports = { endServersBySignal };
