// HTTP servers that tests start themselves.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { onTestFinished } from 'vitest';

/**
 * Serves requests at a free port of this machine.
 *
 * @param {import('node:http').RequestListener} respond
 * @param options.isKept the caller calls `close()`; otherwise it is closed when the test has finished
 */
export async function serve(respond, { isKept = false } = {}) {
  const server = createServer(respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  /** Ends it with all connections. */
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  if (!isKept) onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, port, server, close };
}
