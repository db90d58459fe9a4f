import { endServers } from '../mcp/child';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Ends the other servers with this process. Signals to this process do not reach them. */
export function endServersBySignal(): undefined {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      endServers();
      // The `once` listener is already removed, so the signal ends this process.
      process.kill(process.pid, signal);
    });
  }
}

/** Resolves at the first signal that asks the process to end. A second one ends it. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}
