// @ts-check
'use strict';

const { createServer } = require('./server');
const { connectServers } = require('./servers');

/**
 * A server with one session whose code can call the tools of other servers, and what ends it and them.
 *
 * @param {Omit<import('./server').ServerOptions, 'servers'> & { servers: import('./servers').ServerCommand[] }} options
 */
async function createSessionServer({ servers: commands, ...options }) {
  const servers = await connectServers(commands);
  const closeServers = () => Promise.all(servers.map(({ close }) => close()));
  try {
    const { server, close } = createServer({ ...options, servers });
    return { server, close: () => Promise.all([close(), closeServers()]) };
  } catch (error) {
    await closeServers();
    throw error;
  }
}

module.exports = { createSessionServer };
