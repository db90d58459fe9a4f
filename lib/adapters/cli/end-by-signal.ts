import { endServers } from '../mcp/child';

/** Has other servers, which signals to this process do not reach, end with it. */
export function endServersBySignal() {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endServers();
      // Nobody listens any more: it ends this process.
      process.kill(process.pid, signal);
    });
  }
}
