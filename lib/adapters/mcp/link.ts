import { ChildTransport } from './child';
import { resultOf } from './held-result';
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

/** The error code of a server that only speaks protocol 2026-07-28 or later versions. */
const UNSUPPORTED_VERSION = -32_022;

type ChildTarget = { name: string; command: string };

/**
 * Starts a server by its command, and connects to it. Servers begin with `initialize`, because some end at any other
 * first request. A server that refuses that version is started again.
 *
 * @param onLost called if the server has ended
 * @param onTransport called with each process
 */
export async function childLink(
  target: ChildTarget,
  onLost: () => void,
  onTransport: (transport: ChildTransport) => void,
): Promise<Link> {
  const start = (isModern: boolean) => connectedLink(target, { isModern, onLost, onTransport });
  return await start(false).catch((error) => {
    if (error.code !== UNSUPPORTED_VERSION) throw error;
    return start(true);
  });
}

async function connectedLink(
  target: ChildTarget,
  options: { isModern: boolean; onLost: () => void; onTransport: (transport: ChildTransport) => void },
): Promise<Link> {
  const { isModern, onLost, onTransport } = options;
  const transport = new ChildTransport({ ...target, isModern });
  let isConnected = false;
  transport.onclose = () => {
    if (isConnected) onLost();
  };
  onTransport(transport);
  const client: Foreign = isModern ? modernClient() : new Client({ name: 'ses-executor', version }, {});
  try {
    await client.connect(transport);
  } catch (cause) {
    const { ending } = transport;
    await transport.close();
    // A server that was told to end because of its answer has not ended by itself.
    const isRefused = (cause as Foreign)?.code === UNSUPPORTED_VERSION;
    throw ending === undefined || isRefused ? cause : new Error(`it has ended (${ending})`, { cause });
  }
  isConnected = true;
  return {
    capabilities: client.getServerCapabilities() ?? {},
    get ending() {
      return transport.ending;
    },
    request: async (method, params, given) => resultOf(await client.request({ method, params }, ANY, given)),
    close: () => transport.close(),
  };
}

function modernClient() {
  const modern = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const versionNegotiation = { mode: { pin: '2026-07-28' } };
  return new modern.Client({ name: 'ses-executor', version }, { versionNegotiation });
}
