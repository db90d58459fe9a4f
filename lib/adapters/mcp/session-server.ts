import { createServer } from './server';
import { connectServers } from './servers';
import type { ServerOptions } from './server';
import type { ServerCommand } from './servers';

/**
 * Creates a server with one session whose code can call the tools of other servers. Also returns a function that ends
 * all of them.
 */
export async function createSessionServer({
  servers: commands,
  ...options
}: Omit<ServerOptions, 'servers'> & { servers: ServerCommand[] }) {
  const servers = await connectServers(commands);
  const warnings = servers.flatMap((server) => server.warnings);
  const closeServers = () => Promise.all(servers.map(({ close }) => close()));
  try {
    const { server, close } = createServer({ ...options, servers });
    return { server, warnings, close: () => Promise.all([close(), closeServers()]) };
  } catch (error) {
    await closeServers();
    throw error;
  }
}
