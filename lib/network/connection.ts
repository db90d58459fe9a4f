import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { BlockList } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';

import { familyOf, hostnameOf } from '../contract/network-policy';
import { mayConnect } from './addresses';
import { decoded } from './decoding';
import { RefusedRequest } from './refused';
import type { Lookup } from '../contract/network-policy';

/** Bytes of all headers of a response. */
const MAX_HEADER_BYTES = 64 << 10;

export interface Exchange {
  url: URL;
  method: string;
  headers: [name: string, value: string][];
  body: Uint8Array | undefined;
  maxBytes: number;
  /** addresses that names may lead to, besides public ones */
  listed: BlockList;
  lookup: Lookup | undefined;
  signal: AbortSignal;
  /** called with the bytes of each part of the body, before the next one is read; may throw */
  onPart: ((bytes: number) => void) | undefined;
}

export interface Answer {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
}

/**
 * Makes one request over a new connection, to an address that was checked. Redirects are answers.
 *
 * @throws {RefusedRequest} for what the policy or a limit refuses
 */
export async function exchange(asked: Exchange): Promise<Answer> {
  const { url, listed } = asked;
  const hostname = hostnameOf(url);
  // For addresses nothing is looked up.
  if (familyOf(hostname) !== 0 && !mayConnect(hostname, listed)) throw notPublic(hostname);
  const response = await responseTo(asked, hostname);
  try {
    const body = hasBody(asked.method, response) ? await bodyOf(response, asked) : new Uint8Array();
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      headers: headersOf(response),
      body,
    };
  } finally {
    response.destroy();
  }
}

function responseTo({ url, method, headers, body, listed, lookup, signal }: Exchange, hostname: string) {
  const isEncrypted = url.protocol === 'https:';
  const request = isEncrypted ? httpsRequest : httpRequest;
  // Its own agent, without a proxy of the environment and without connections that outlive the request.
  const agent = isEncrypted ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: headers.flat(),
      agent,
      signal,
      lookup: checkedLookup(hostname, listed, lookup),
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    // An answer such as 101 would keep the connection.
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new RefusedRequest('the server wants another protocol'));
    });
    sent.end(body);
  });
}

/** Finds the addresses of a name and passes them on only if all of them may be connected to. */
function checkedLookup(hostname: string, listed: BlockList, lookup: Lookup | undefined): LookupFunction {
  const find = lookup ?? (systemLookup as Lookup);
  return (_name, { all: wantsAll }, callback) => {
    find(hostname, { all: true }, (error, addresses) => {
      const fail = (reason: Error) => callback(reason as NodeJS.ErrnoException, '', 0);
      if (error) return fail(error);
      const isList = Array.isArray(addresses) && addresses.length > 0;
      if (!isList) return fail(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }));
      const found = addresses.map(({ address, family }) => ({ address: String(address), family: Number(family) }));
      if (!found.every(({ address }) => mayConnect(address, listed))) return fail(notPublic(hostname));
      if (wantsAll) callback(null, found);
      else callback(null, found[0].address, found[0].family);
    });
  };
}

/** The address is not told: it belongs to the host's network. */
function notPublic(hostname: string) {
  return new RefusedRequest(`${hostname} resolves to an address that is neither public nor in network.allow`);
}

function hasBody(method: string, { statusCode }: IncomingMessage) {
  return method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
}

async function bodyOf(response: IncomingMessage, { maxBytes, onPart }: Exchange) {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of decoded(response)) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RefusedRequest(`the response has more than ${maxBytes} bytes (network.maxBytes)`);
    onPart?.(part.length);
    parts.push(part);
  }
  if (!response.complete) throw Object.assign(new Error('incomplete'), { code: 'ECONNRESET' });
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** Headers that describe the connection or the compressed form. */
const OF_CONNECTION =
  /^(?:connection|keep-alive|proxy-.*|transfer-encoding|upgrade|trailer|content-encoding|content-length|set-cookie2)$/;

function headersOf({ rawHeaders, headers }: IncomingMessage) {
  const found: [string, string][] = [];
  const isEncoded = headers['content-encoding'] !== undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at].toLowerCase();
    if (!OF_CONNECTION.test(name) || (name === 'content-length' && !isEncoded)) found.push([name, rawHeaders[at + 1]]);
  }
  return found;
}
