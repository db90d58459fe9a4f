// The option `network`: which requests guests may make. `lib/network/` makes them.

import { shownUrl } from './shown-url';
import { describe, memberPath } from './describe';
import type { Foreign } from './foreign';

/** Finds the addresses of a name, as `dns.lookup` of Node.js with `all: true`. */
export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

/** The requests that guest code may make. The host makes them. */
export interface NetworkPolicy {
  /**
   * Hosts that may be asked. `"api.example.com"` means `https` at port 443, `"api.example.com:8443"` another port,
   * `"http://api.example.com"` requests without encryption, and `"*.example.com"` all names below that one.
   *
   * Names must lead to public addresses. Loopback, private, link-local and metadata addresses are refused, unless they
   * are listed: as the host (`"http://127.0.0.1:3000"`, `"http://localhost:3000"`), or as a range for the names in the
   * list (`"10.1.0.0/16"`).
   */
  allow: readonly string[];
  /** Default `GET` and `HEAD`. */
  methods?: readonly string[] | undefined;
  /** Maximum bytes of a response after decompression, and of a request. Default 8 MiB. */
  maxBytes?: number | undefined;
  /** Maximum number of requests in one run, redirects included. Default 100. */
  maxRequests?: number | undefined;
  /**
   * Headers that the host adds, by the host as `allow` has it, such as credentials. Guest code never sees them. They
   * replace headers of the guest and are not sent to other hosts. A header for the exact host replaces that of a
   * wildcard.
   */
  headers?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Finds the addresses of names. Default: `dns.lookup` of Node.js. The addresses that it finds are checked. */
  lookup?: Lookup | undefined;
}

/** A place that requests may go to. */
export interface AllowedHost {
  protocol: 'http:' | 'https:';
  /** without brackets; after the `*` of a wildcard, it begins with a dot */
  hostname: string;
  isWildcard: boolean;
  port: string;
}

/** A checked policy. It can be passed on as an option. */
export interface CheckedNetwork extends Omit<NetworkPolicy, 'headers'> {
  hosts: AllowedHost[];
  /** addresses and ranges in the form `address/bits` that names may lead to, besides public ones */
  ranges: string[];
  /** as the caller wrote them, for messages */
  allow: readonly string[];
  methods: readonly string[];
  maxBytes: number;
  maxRequests: number;
  /** headers that the host adds, with names in lower case */
  added: { host: AllowedHost; values: [name: string, value: string][] }[];
  lookup: Lookup | undefined;
}

/** Members of a policy. */
export const POLICY_NAMES: readonly string[] = ['allow', 'methods', 'maxBytes', 'maxRequests', 'headers', 'lookup'];
/** The methods of a policy that names none. */
export const DEFAULT_METHODS: readonly string[] = ['GET', 'HEAD'];
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
/** 8 MiB. */
const MAX_BYTES = 8 << 20;
const MAX_REQUESTS = 100;
/** 1 GiB. */
const MOST_BYTES = 1 << 30;
const PATH = 'options.network';
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that HTTP refuses in a value. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Policies that were checked, so that they can be passed on. */
const CHECKED: WeakSet<object> = new WeakSet();

/** @throws {TypeError | RangeError} */
export function checkNetwork(policy: unknown): CheckedNetwork {
  if (typeof policy === 'object' && policy !== null && CHECKED.has(policy)) return policy as CheckedNetwork;
  const checked = Object.freeze(checkedPolicy(policy));
  CHECKED.add(checked);
  return checked;
}

function checkedPolicy(policy: unknown): CheckedNetwork {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    throw new TypeError(`${PATH} must be an object such as { allow: ["api.example.com"] }, got ${describe(policy)}`);
  }
  const given: Foreign = { ...policy };
  for (const name of Object.keys(given)) {
    if (!POLICY_NAMES.includes(name)) {
      throw new TypeError(`${memberPath(PATH, name)} is not an option; the options are ${POLICY_NAMES.join(', ')}`);
    }
  }
  const { allow, methods = DEFAULT_METHODS, headers = {}, lookup } = given;
  const entries = listOf(allow, `${PATH}.allow`);
  const parsed = entries.map((entry, index) => entryOf(entry, `${PATH}.allow[${index}]`));
  const hosts = parsed.flatMap(({ host }) => (host === undefined ? [] : [host]));
  if (lookup !== undefined && typeof lookup !== 'function') {
    throw new TypeError(`${PATH}.lookup must be a function, got ${describe(lookup)}`);
  }
  return {
    hosts,
    ranges: parsed.flatMap(({ range }) => (range === undefined ? [] : [range])),
    allow: entries,
    methods: listOf(methods, `${PATH}.methods`).map((method, index) => {
      const upper = method.toUpperCase();
      if (METHODS.includes(upper)) return upper;
      const expected = METHODS.map((known) => JSON.stringify(known)).join(' or ');
      throw new RangeError(`${PATH}.methods[${index}] must be ${expected}, got ${describe(method)}`);
    }),
    maxBytes: integer(given.maxBytes ?? MAX_BYTES, 'maxBytes', MOST_BYTES),
    maxRequests: integer(given.maxRequests ?? MAX_REQUESTS, 'maxRequests', Number.MAX_SAFE_INTEGER),
    added: headersOf(headers, hosts),
    lookup,
  };
}

function listOf(value: unknown, path: string): string[] {
  if (!Array.isArray(value)) throw new TypeError(`${path} must be an array of strings, got ${describe(value)}`);
  return Array.from(value, (item, index) => {
    if (typeof item === 'string' && item !== '') return item;
    throw new TypeError(`${path}[${index}] must be a non-empty string, got ${describe(item)}`);
  });
}

function integer(value: unknown, name: string, max: number) {
  if (typeof value !== 'number') throw new TypeError(`${PATH}.${name} must be a number, got ${describe(value)}`);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new RangeError(`${PATH}.${name} must be an integer from 0 to ${max}, got ${describe(value)}`);
}

/** A host, or a range of addresses. An address is both. */
function entryOf(entry: string, path: string): { host?: AllowedHost; range?: string } {
  const [, address, bits] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (address !== undefined) {
    const family = familyOf(normalized(address));
    if (family !== 0 && Number(bits) <= (family === 4 ? 32 : 128)) return { range: `${address}/${bits}` };
    throw new RangeError(`${path} must be a range such as "10.0.0.0/8", got ${describe(entry)}`);
  }
  const host = hostOf(entry, path);
  const family = familyOf(host.hostname);
  return family === 0 ? { host } : { host, range: `${host.hostname}/${family === 4 ? 32 : 128}` };
}

function hostOf(entry: string, path: string): AllowedHost {
  const wrong = () => {
    const expected =
      'a host such as "api.example.com", "api.example.com:8443", "*.example.com" or "http://localhost:3000"';
    return new RangeError(`${path} must be ${expected}, got ${describe(shownUrl(entry))}`);
  };
  const text = entry.includes('://')
    ? entry
    : `https://${/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*$/i.test(entry) ? `[${entry}]` : entry}`;
  const [, scheme, star, rest] = /^(https?):\/\/(\*\.)?([^/?#@*\s]+)\/?$/i.exec(text) ?? [];
  if (rest === undefined) throw wrong();
  let url;
  try {
    url = new URL(`${scheme}://${rest}`);
  } catch {
    throw wrong();
  }
  const protocol = url.protocol as AllowedHost['protocol'];
  const isWildcard = star !== undefined;
  const hostname = hostnameOf(url);
  if (isWildcard && familyOf(hostname) !== 0) throw wrong();
  return { protocol, hostname: isWildcard ? `.${hostname}` : hostname, isWildcard, port: portOf(url) };
}

/** An address as URLs have it; empty for other strings. */
function normalized(address: string) {
  try {
    return hostnameOf(new URL(`http://${address.includes(':') ? `[${address}]` : address}`));
  } catch {
    return '';
  }
}

/**
 * 4 or 6 for addresses in the form that URLs have them; 0 for names.
 *
 * @internal
 */
export function familyOf(hostname: string): 0 | 4 | 6 {
  if (hostname.includes(':')) return 6;
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname) ? 4 : 0;
}

/**
 * The name or address of a URL, without brackets and without the dot at the end of a name.
 *
 * @internal
 */
export function hostnameOf({ hostname }: URL): string {
  const name = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** @internal */
export function portOf({ protocol, port }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/**
 * Whether requests to this URL go to the host.
 *
 * @internal
 */
export function isAt(host: AllowedHost, url: URL): boolean {
  if (url.protocol !== host.protocol || portOf(url) !== host.port) return false;
  const hostname = hostnameOf(url);
  return host.isWildcard ? hostname.endsWith(host.hostname) : hostname === host.hostname;
}

/** @internal */
export function isHeaderName(name: string): boolean {
  return HEADER.test(name);
}

/** @internal */
export function isHeaderValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value);
}

function headersOf(headers: unknown, hosts: AllowedHost[]): CheckedNetwork['added'] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw new TypeError(`${PATH}.headers must be an object of headers by host, got ${describe(headers)}`);
  }
  return Object.entries(headers).map(([key, values]) => {
    const path = memberPath(`${PATH}.headers`, key);
    const host = hostOf(key, path);
    const isAllowed = hosts.some((allowed) => JSON.stringify(allowed) === JSON.stringify(host));
    // Otherwise a typing mistake would send requests without credentials, or send credentials to more hosts.
    if (!isAllowed) throw new RangeError(`${path} must be a host of ${PATH}.allow`);
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new TypeError(`${path} must be an object of headers, got ${describe(values)}`);
    }
    return { host, values: Object.entries(values).map(([name, value]) => headerOf(name, value, path)) };
  });
}

/** Messages do not show values. */
function headerOf(name: string, value: unknown, path: string): [string, string] {
  if (!isHeaderName(name)) throw new RangeError(`${path} has ${describe(name)}, which is not a header name`);
  if (typeof value !== 'string') throw new TypeError(`${memberPath(path, name)} must be a string`);
  if (!isHeaderValue(value)) {
    throw new RangeError(`${memberPath(path, name)} must have no line breaks and only characters of Latin-1`);
  }
  return [name.toLowerCase(), value];
}
