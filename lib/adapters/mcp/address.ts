import { describe, isPlainObject } from '../../contract/describe';
import { shownUrl } from '../../contract/shown-url';
import type { Foreign } from '../../contract/foreign';

/** A URL in place of a command, with or without quotes. */
const URL_START = /^[\s"'`<]*[a-z][a-z\d+.-]*:\/\//i;

/** Another server: a command that starts it, or its address. */
export type ServerTarget = { name: string } & (
  | { command: string; url?: undefined }
  | {
      command?: undefined;
      url: URL;
      /** of each request */
      headers?: Readonly<Record<string, string>>;
      /** of the SDK: provides tokens, and may renew them */
      authProvider?: object;
      /** what to do if the server demands a login */
      loginHint?: string;
    }
);

/**
 * Reads a command or an address.
 *
 * @throws {TypeError} for a URL that is not an address of a server. A shell would run it as the name of a program
 */
export function targetOf(name: string, text: string): ServerTarget {
  if (!URL_START.test(text)) return { name, command: text };
  return { name, url: addressOf(name, text.trim()) };
}

/** @throws {TypeError} unless the text is the URL of a server, with TLS unless it is on this machine */
export function addressOf(name: string, text: string): URL {
  const url = URL.canParse(text) && !/[\s"'`<>]/.test(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url !== undefined && isSafe && url.username === '' && url.password === '') return url;
  throw new TypeError(
    `the server ${name} must be a command, or an address such as https://example.com/mcp, got ${describe(shownUrl(text))}; an ` +
      'address has no user name and no password, and http:// is only for this machine',
  );
}

/**
 * The target of an HTTP request as a URL of an unnamed host. Undefined for a target that is not a URL, such as `//`.
 */
export function requestUrl(target: string = '/'): URL | undefined {
  const base = 'http://localhost';
  return URL.canParse(target, base) ? new URL(target, base) : undefined;
}

/** Whether a host name leads to this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Reads a server as the options of `createMcpServer` give it.
 *
 * @param path of the option
 * @throws {TypeError}
 */
export function targetOfOption(name: string, given: unknown, path: string): ServerTarget {
  if (typeof given === 'string' && given.trim() !== '') return targetOf(name, given);
  if (!isPlainObject(given) || typeof given.url !== 'string') {
    throw new TypeError(`${path} must be a command, an address or an object with a url, got ${describe(given)}`);
  }
  const { headers, authProvider } = given as Foreign;
  for (const value of [headers, authProvider]) {
    if (value === undefined || (typeof value === 'object' && value !== null)) continue;
    throw new TypeError(`${path} must have objects as headers and authProvider, got ${describe(value)}`);
  }
  return { name, url: addressOf(name, given.url), headers, authProvider };
}

/** A host as URLs have it: IPv6 addresses are in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
