import { UsageError } from './usage-error';

const MAX_PORT = 65_535;

/** Where a server listens. The host has no brackets. */
export interface ListenAddress {
  host: string;
  port: number;
}

/**
 * @param option the name of the option with the address
 * @param text `<host>:<port>`, with an IPv6 address in brackets
 * @param defaultHost the host of an address that is only a port; without it, the host is required
 * @throws {UsageError}
 */
export function listenAddress(option: string, text: string, defaultHost?: string): ListenAddress {
  const [, v6, host = v6 ?? defaultHost, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) <= MAX_PORT) return { host, port: Number(port) };
  const expected = defaultHost === undefined ? '127.0.0.1:3000' : '9100 or 127.0.0.1:9100';
  throw new UsageError(`${option} must be like ${expected}, got ${JSON.stringify(text)}`);
}
