import { ChildTransport } from './child';
import { Client, z } from '../../bundled/mcp';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';

/** A connection with another server. */
export interface Link {
  /** What the server says that it can do, which nothing has checked. */
  capabilities: Foreign;
  /** How the server ended. Undefined while it answers. */
  readonly ending: string | undefined;
  /** @returns the result as the server sent it */
  request: (method: string, params: Foreign, options: Foreign) => Promise<Foreign>;
  close: () => Promise<void>;
}

/**
 * A schema that accepts any result. The SDK's schemas check all parts of a value in one step. The callers check in
 * slices.
 */
const ANY = z.any();

/** Starts a server by its command, and connects to it. */
export async function childLink(
  target: { name: string; command: string },
  onLost: () => void,
  onTransport: (transport: ChildTransport) => void,
): Promise<Link> {
  const transport = new ChildTransport(target);
  transport.onclose = onLost;
  onTransport(transport);
  const client = new Client({ name: 'ses-executor', version }, {});
  try {
    await client.connect(transport);
  } catch (cause) {
    const { ending } = transport;
    await transport.close();
    throw ending === undefined ? cause : new Error(`it has ended (${ending})`, { cause });
  }
  return {
    capabilities: client.getServerCapabilities() ?? {},
    get ending() {
      return transport.ending;
    },
    request: (method, params, options) => client.request({ method, params } as Foreign, ANY, options),
    close: () => transport.close(),
  };
}
