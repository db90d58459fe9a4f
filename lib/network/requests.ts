import { clearTimeout, setTimeout } from '../contract/clock';
import { currentScope } from '../contract/run-scope';
import { hostnameOf, isAt, isHeaderName, isHeaderValue } from '../contract/network-policy';
import { listOf } from './addresses';
import { exchange } from './connection';
import { ACCEPTED } from './decoding';
import { RefusedRequest } from './refused';
import { Secrets } from './secrets';
import type { CheckedNetwork } from '../contract/network-policy';
import type { Foreign } from '../contract/foreign';
import type { RunScope } from '../contract/run-scope';
import type { Answer } from './connection';

/** As browsers and Node.js. */
const MAX_REDIRECTS = 20;
const MAX_URL_CHARS = 8_192;
/** The longest timer of Node.js. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_HEADERS = 200;
const MAX_HEADER_CHARS = 32_768;

/** Headers of a guest that belong to the connection. */
const OF_CONNECTION =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*|sec-.*)$/;
/** Headers of a guest that are for one host only. */
const CREDENTIALS = /^(?:authorization|cookie)$/;
const OF_BODY = /^content-/;
const REDIRECTS = [301, 302, 303, 307, 308];

/** A request as guests make it. */
export interface Asked {
  url: URL;
  method: string;
  headers: [name: string, value: string][];
  body: Uint8Array | undefined;
  redirect: 'follow' | 'error' | 'manual';
  /** called with the bytes of each part of a response, before the next one is read; may throw */
  onPart?: (bytes: number) => void;
}

/** A response as guests get it. */
export interface GuestResponse {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  url: string;
  redirected: boolean;
  body: Uint8Array;
}

/** The requests that a run has made. */
export interface Made {
  made: number;
}

/** What the host remembers of one run. */
interface OfRun extends Made {
  underWay: Map<number, RunScope>;
}

/**
 * The functions that make and cancel requests of guests. A policy that is absent allows nothing.
 *
 * @throws nothing when it is called; requests reject with a `TypeError` that says what to do
 */
export function makeRequests(network: CheckedNetwork | undefined) {
  const policy = network === undefined ? undefined : new Policy(network);
  const runs: WeakMap<RunScope, OfRun> = new WeakMap();
  const ofRun = (scope: RunScope) => {
    const known = runs.get(scope) ?? { made: 0, underWay: new Map() };
    runs.set(scope, known);
    return known;
  };
  return {
    async request(url: unknown, init: unknown, number: unknown): Promise<GuestResponse> {
      const scope = currentScope() as RunScope;
      return made(policy, { url, init, number, scope, run: ofRun(scope.whole) });
    },
    cancel(number: number) {
      ofRun((currentScope() as RunScope).whole)
        .underWay.get(number)
        ?.end();
    },
  };
}

async function made(
  policy: Policy | undefined,
  { url, init, number, scope, run }: { url: unknown; init: unknown; number: unknown; scope: RunScope; run: OfRun },
) {
  const part = scope.part();
  const limit = timeLimitOf(init);
  let isLate = false;
  const late = () => {
    isLate = true;
    part.end();
  };
  const timer = limit === undefined ? undefined : setTimeout(late, limit);
  let where = '';
  try {
    if (policy === undefined) throw new RefusedRequest('this host allows no requests (network.allow)');
    const asked = read(url, init);
    where = hostnameOf(asked.url);
    if (typeof number === 'number') run.underWay.set(number, part);
    return await policy.follow(asked, part, run);
  } catch (error) {
    const ended = isLate ? `the request took longer than ${limit} ms` : 'the request was aborted';
    throw failure(part.isOver && !scope.isOver ? new RefusedRequest(ended) : error, where);
  } finally {
    clearTimeout(timer);
    if (typeof number === 'number') run.underWay.delete(number);
    part.end();
  }
}

/** Makes requests under the option `network`. */
export class Policy {
  readonly network;
  /** Longer names last: the name of a host is longer than each wildcard that it matches. */
  #added;
  #listed;
  #secrets;

  constructor(network: CheckedNetwork) {
    this.network = network;
    this.#added = [...network.added].sort((a, b) => a.host.hostname.length - b.host.hostname.length);
    this.#secrets = new Secrets(network.added.flatMap(({ values }) => values.map(([, value]) => value)));
    this.#listed = listOf([
      ...network.ranges,
      // Hosts that list these names mean this machine.
      ...(network.hosts.some(({ hostname }) => /(?:^|\.)localhost$/.test(hostname)) ? ['127.0.0.1/32', '::1/128'] : []),
    ]);
  }

  /**
   * Makes a request and follows its redirects. Each of them is checked as the first.
   *
   * @throws {RefusedRequest} for what the policy refuses. Messages of other errors are not for guests.
   */
  async follow(asked: Asked, scope: RunScope, run: Made): Promise<GuestResponse> {
    let { url, method, headers, body } = asked;
    const { maxBytes, maxRequests } = this.network;
    if ((body?.length ?? 0) > maxBytes) {
      throw new RefusedRequest(`the body of the request has more than ${maxBytes} bytes (network.maxBytes)`);
    }
    for (let redirects = 0; ; redirects++) {
      this.#check(url, method);
      if (run.made >= maxRequests) {
        throw new RefusedRequest(`a run may make at most ${maxRequests} requests (network.maxRequests)`);
      }
      run.made++;
      const answer = this.#secrets.removedFrom(await this.#exchange({ ...asked, url, method, headers, body }, scope));
      const location = REDIRECTS.includes(answer.status) ? locationOf(answer) : undefined;
      if (location === undefined || asked.redirect === 'manual') {
        return { ...answer, url: url.href, redirected: redirects > 0 };
      }
      if (asked.redirect === 'error') throw new RefusedRequest('the response is a redirect, which the request refuses');
      if (redirects === MAX_REDIRECTS) throw new RefusedRequest(`more than ${MAX_REDIRECTS} redirects`);
      const next = nextOf(location, url);
      if (next.origin !== url.origin) headers = headers.filter(([name]) => !CREDENTIALS.test(name));
      const { status } = answer;
      if ((status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')) {
        method = method === 'HEAD' ? 'HEAD' : 'GET';
        headers = headers.filter(([name]) => !OF_BODY.test(name));
        body = undefined;
      }
      url = next;
    }
  }

  #check(url: URL, method: string) {
    const { hosts, methods, allow } = this.network;
    if (!hosts.some((host) => isAt(host, url))) {
      const shown = `${url.protocol}//${url.host}`.slice(0, 200);
      throw new RefusedRequest(`${shown} is not allowed; allowed here: ${shownList(allow)}`);
    }
    if (!methods.includes(method)) {
      throw new RefusedRequest(`the method ${method} is not allowed; allowed here: ${methods.join(', ')}`);
    }
  }

  #exchange({ url, method, headers, body, onPart }: Asked, scope: RunScope) {
    const { maxBytes, lookup } = this.network;
    const added = this.#added.filter(({ host }) => isAt(host, url)).flatMap(({ values }) => values);
    // Of several values for a name, the last one is sent.
    const sent = new Map([
      ['host', ''],
      ['accept', '*/*'],
      ['user-agent', 'ses-executor'],
      ...headers.filter(([name]) => !OF_CONNECTION.test(name)),
      ...added,
      ['host', url.host],
      ['accept-encoding', ACCEPTED],
    ] as [string, string][]);
    const hasLength = body !== undefined || method === 'POST' || method === 'PUT' || method === 'PATCH';
    if (hasLength) sent.set('content-length', String(body?.length ?? 0));
    else sent.delete('content-length');
    const plain = new URL(url);
    plain.hash = '';
    return exchange({
      url: plain,
      method,
      headers: [...sent],
      body,
      maxBytes,
      listed: this.#listed,
      lookup,
      signal: scope.signal,
      onPart,
    });
  }
}

/** The milliseconds that a request may take, which Python code sets with `timeout`. */
function timeLimitOf(init: unknown): number | undefined {
  const { timeoutMs } = (typeof init === 'object' && init !== null ? init : {}) as Foreign;
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? Math.min(Math.ceil(timeoutMs), MAX_TIMEOUT_MS) : undefined;
}

/** Reads what a guest sent, which need not be what its `fetch` makes. */
function read(url: unknown, init: unknown): Asked {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS) {
    throw new RefusedRequest(`the URL must be a string of at most ${MAX_URL_CHARS} characters`);
  }
  const given = (typeof init === 'object' && init !== null ? init : {}) as Foreign;
  const { method = 'GET', headers = [], body, redirect = 'follow' } = given;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (bytes !== undefined && !(bytes instanceof Uint8Array))
    throw new RefusedRequest('the body must be a string or bytes');
  return {
    url: parsed(url),
    method: String(method),
    headers: readHeaders(headers),
    body: bytes,
    redirect: ['error', 'manual'].includes(redirect) ? redirect : 'follow',
  };
}

function readHeaders(headers: unknown): [string, string][] {
  const pairs = Array.isArray(headers) ? headers : Object.entries((headers ?? {}) as object);
  if (pairs.length > MAX_HEADERS) throw new RefusedRequest(`more than ${MAX_HEADERS} headers`);
  let chars = 0;
  // Servers disagree on which of two headers counts. As in browsers, those with the same name are sent as one.
  const found: Map<string, string> = new Map();
  for (const pair of pairs) {
    const [name, value] = Array.isArray(pair) ? [String(pair[0]).toLowerCase(), String(pair[1])] : ['', ''];
    chars += name.length + value.length;
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new RefusedRequest('a header has a name or a value that HTTP does not allow');
    }
    const earlier = found.get(name);
    found.set(name, earlier === undefined ? value : `${earlier}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  if (chars > MAX_HEADER_CHARS) throw new RefusedRequest(`the headers have more than ${MAX_HEADER_CHARS} characters`);
  return [...found];
}

function parsed(text: string, base?: URL) {
  let url;
  try {
    url = new URL(text, base);
  } catch {
    throw new RefusedRequest(base === undefined ? 'the URL is not absolute' : 'the redirect has no valid URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new RefusedRequest(`${url.protocol} is not allowed; use https:`);
  }
  if (url.username !== '' || url.password !== '') throw new RefusedRequest('a URL must not contain credentials');
  return url;
}

function locationOf({ headers }: Answer) {
  return headers.find(([name]) => name === 'location')?.[1];
}

function nextOf(location: string, url: URL) {
  if (location.length > MAX_URL_CHARS) throw new RefusedRequest('the redirect leads to a URL that is too long');
  const next = parsed(location, url);
  if (next.hash === '') next.hash = url.hash;
  return next;
}

function shownList(allow: readonly string[]) {
  const most = 10;
  if (allow.length === 0) return 'nothing';
  const more = allow.length > most ? ` and ${allow.length - most} more` : '';
  return `${allow.slice(0, most).join(', ')}${more}`;
}

/**
 * Has no cause, because causes cross to guests. Only known codes are shown: messages of Node.js may contain addresses.
 */
function failure(error: unknown, hostname: string) {
  if (error instanceof RefusedRequest) return new TypeError(`fetch: ${error.message}`);
  const code = String((error as Foreign)?.code ?? '');
  const shown = /^(?:E[A-Z]+|ERR_TLS_[A-Z_]+|Z_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|HPE_[A-Z_]+)$/.test(code)
    ? ` (${code})`
    : '';
  return new TypeError(`fetch: the request to ${hostname.slice(0, 200)} failed${shown}`);
}
