// @ts-check
'use strict';

/** Bytes of a body that a page may get. */
const MAX_BODY_BYTES = 32 << 20;
const REQUEST_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Headers that belong to a connection or to a browser's own business, in both directions. */
const NOT_PASSED =
  /^(?:host|origin|referer|cookie|set-cookie|connection|keep-alive|transfer-encoding|content-length|content-encoding|upgrade|proxy-.*|sec-.*|access-control-.*|content-security-policy.*|strict-transport-security)$/i;

/**
 * Answers a request to an origin that the page may have requests to. The page has no network: the host makes the request, and
 * asks `onRequest` before.
 *
 * @param {import('./tab').Tab} tab
 * @param {any} paused as the DevTools protocol gives it
 * @param {{ origins: string[], onRequest: ((request: any) => unknown) | undefined }} options
 */
async function answerRequest(tab, paused, { origins, onRequest }) {
  const { requestId, request } = paused;
  try {
    if (request.method === 'OPTIONS') return tab.fulfill(requestId, 204, corsHeaders(request), Buffer.alloc(0));
    const headers = passed(Object.entries(request.headers));
    const asked = { url: request.url, method: request.method, headers: Object.fromEntries(headers) };
    if (onRequest !== undefined && (await onRequest(asked)) === false) return tab.refuse(requestId);
    const response = await fetchWithin(origins, request.url, {
      method: request.method,
      headers,
      ...(request.hasPostData && { body: bodyOf(request) }),
    });
    const body = await bytesOf(response);
    const given = passed([...response.headers]).map(([name, value]) => ({ name, value }));
    tab.fulfill(requestId, response.status, [...given, ...corsHeaders(request)], body);
  } catch {
    // The page learns what a page learns of any failed request.
    tab.refuse(requestId);
  }
}

/**
 * @param {string[]} origins
 * @param {string} url
 * @param {RequestInit} init
 */
async function fetchWithin(origins, url, init) {
  let at = url;
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    const response = await fetch(at, { ...init, redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) });
    const location = response.headers.get('location');
    if (location === null || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const next = new URL(location, at);
    if (!origins.includes(next.origin)) throw new Error(`a redirect to ${next.origin}, which is not allowed`);
    at = next.href;
    if (response.status === 303) init = { headers: init.headers };
  }
  throw new Error('too many redirects');
}

/** @param {any} request */
function bodyOf({ postDataEntries = [], postData = '' }) {
  if (postDataEntries.length === 0) return postData;
  return Buffer.concat(postDataEntries.map((/** @type {any} */ { bytes = '' }) => Buffer.from(bytes, 'base64')));
}

/** @param {Response} response */
async function bytesOf(response) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let bytes = 0;
  for await (const part of /** @type {any} */ (response.body ?? [])) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(parts);
}

/** @param {[string, any][]} headers */
function passed(headers) {
  return headers.filter(([name]) => !NOT_PASSED.test(name)).map(([name, value]) => [name, String(value)]);
}

/**
 * The host has decided already; the page's origin is nobody's.
 *
 * @param {any} request
 */
function corsHeaders(request) {
  const asked = Object.entries(request.headers).find(
    ([name]) => name.toLowerCase() === 'access-control-request-headers',
  );
  return [
    { name: 'access-control-allow-origin', value: '*' },
    { name: 'access-control-expose-headers', value: '*' },
    { name: 'access-control-allow-methods', value: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
    { name: 'access-control-allow-headers', value: String(asked?.[1] ?? '*') },
  ];
}

module.exports = { answerRequest };
