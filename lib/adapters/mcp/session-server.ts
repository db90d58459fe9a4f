import { createServed } from './server';
import { connectServers } from './servers';
import type { ServerOptions } from './server';
import type { ServerTarget } from './address';

type SessionServerOptions = Omit<ServerOptions, 'servers'> & { servers: ServerTarget[] };

/** Creates a session whose code can call the tools of other servers, which end with it. */
export async function createSessionServer(options: SessionServerOptions) {
  const { warnings, open, close } = await createSessionServers(options);
  try {
    const session = open();
    return { served: session, warnings, close: () => Promise.all([session.close(), close()]) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the other servers, which all sessions share. Returns a function that creates a session. */
export async function createSessionServers({ servers: targets, ...options }: SessionServerOptions) {
  const servers = await connectServers(targets);
  return {
    warnings: servers.flatMap((server) => server.warnings),
    open: () => createServed({ ...options, servers }),
    close: () => Promise.all(servers.map((server) => server.close())),
  };
}
