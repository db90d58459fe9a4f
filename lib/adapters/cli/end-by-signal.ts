import { endServers } from '../mcp/child';

/** Ends the other servers with this process. Signals to this process do not reach them. */
export function endServersBySignal() {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endServers();
      // The `once` listener is already removed, so the signal ends this process.
      process.kill(process.pid, signal);
    });
  }
}
