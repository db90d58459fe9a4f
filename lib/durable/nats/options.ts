import { describe } from '../../contract/describe';
import { record } from '../../contract/options';
import type { Foreign } from '../../contract/foreign';

/** Checked options. */
export interface NatsSettings {
  /** without user and password */
  servers: string[];
  /** from the addresses */
  user: string | undefined;
  password: string | undefined;
  token: string | undefined;
  isTls: boolean;
  credentials: string | undefined;
  tls: Record<string, string> | undefined;
  name: string;
  replicas: number;
  timeoutMs: number;
}

const SCHEMES = ['nats:', 'tls:'];

/** @throws {TypeError | RangeError} */
export function checkNatsOptions(options: unknown): NatsSettings {
  const names = ['servers', 'credentials', 'tls', 'name', 'replicas', 'timeoutMs'];
  const {
    servers,
    credentials,
    tls,
    name = 'ses-journals',
    replicas = 1,
    timeoutMs = 10_000,
  } = record(options, 'options', names);
  if (credentials !== undefined && (typeof credentials !== 'string' || credentials === '')) {
    throw new TypeError(`options.credentials must be the path of a file, got ${describe(credentials)}`);
  }
  if (typeof name !== 'string') throw new TypeError(`options.name must be a string, got ${describe(name)}`);
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new RangeError(`options.name must have 1 to 64 ASCII letters, digits, "-" and "_", got ${describe(name)}`);
  }
  if (![1, 3, 5].includes(replicas))
    throw new RangeError(`options.replicas must be 1, 3 or 5, got ${describe(replicas)}`);
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= 2 ** 31) {
    throw new RangeError(`options.timeoutMs must be an integer from 1 to 2147483647, got ${describe(timeoutMs)}`);
  }
  const files = tls === undefined ? undefined : record(tls, 'options.tls', ['caFile', 'certFile', 'keyFile']);
  for (const [file, path] of Object.entries(files ?? {})) {
    if (path === undefined || (typeof path === 'string' && path !== '')) continue;
    throw new TypeError(`options.tls.${file} must be the path of a file, got ${describe(path)}`);
  }
  const given = Object.entries(files ?? {}).filter(([, path]) => path !== undefined);
  return { ...addressesOf(servers), credentials, tls: files && Object.fromEntries(given), name, replicas, timeoutMs };
}

/** The client ignores user and password of an address, so they are read here. */
function addressesOf(servers: Foreign) {
  const texts: Foreign[] = typeof servers === 'string' ? servers.split(',') : servers;
  if (!Array.isArray(texts) || texts.length === 0) {
    throw new TypeError(`options.servers must be an address or an array of them, got ${describe(servers)}`);
  }
  const urls = texts.map(addressOf);
  const [{ username, password, protocol }] = urls as [URL];
  const isSame = urls.every(
    (url) => [url.username, url.password, url.protocol].join() === [username, password, protocol].join(),
  );
  if (!isSame) throw new TypeError('options.servers must have the same scheme, user and password in all addresses');
  const isToken = username !== '' && password === '';
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    user: username === '' || isToken ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
    token: isToken ? decodeURIComponent(username) : undefined,
    isTls: protocol === 'tls:',
  };
}

/** Messages do not have the address: it may contain a password. */
function addressOf(text: unknown): URL {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  const url = parse(trimmed);
  if (url !== undefined && SCHEMES.includes(url.protocol) && url.hostname !== '') return url;
  throw new TypeError('options.servers must be addresses such as "nats://127.0.0.1:4222" or "tls://broker:4222"');
}

function parse(text: string) {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
