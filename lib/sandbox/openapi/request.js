// @ts-check
'use strict';

const { describe } = require('../../contract/describe');

const MAX_REDIRECTS = 5;
/** Characters of an answer that an error shows. */
const MAX_SHOWN = 500;

/** An answer of the API that is no success. */
class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = `HTTP_${status}`;
  }
}

/**
 * What makes the request of an operation.
 *
 * @param {object} api
 * @param {typeof fetch} api.fetch
 * @param {URL} api.baseUrl
 * @param {any} api.headers an object, or a function of the call that gives one
 * @param {Record<string, any>} api.credentials by security scheme: a text, or a function of the call that gives one
 * @param {number} api.maxResponseBytes
 */
function requester({ fetch, baseUrl, headers, credentials, maxResponseBytes }) {
  return async (
    /** @type {import('./operations').Operation} */ operation,
    /** @type {any} */ given,
    /** @type {any} */ call,
  ) => {
    // Names of parameters are those of a document, and objects have names by themselves.
    const params = { __proto__: null, ...given };
    const url = urlOf(baseUrl, operation, params);
    const sent = new Headers({ accept: 'application/json' });
    for (const { key, name, in: place } of operation.parameters) {
      if (place === 'header' && params[key] !== undefined) sent.set(name, text(params[key]));
    }
    const body = bodyOf(operation, params);
    if (body !== undefined) sent.set('content-type', /** @type {any} */ (operation.body).contentType);
    // Those of the host come last: no guest replaces them.
    await authorize(operation, credentials, call, url, sent);
    const own = typeof headers === 'function' ? await headers(call) : headers;
    for (const [name, value] of new Headers(own ?? {})) sent.set(name, value);
    const init = { method: operation.method, headers: sent, body, signal: call.signal };
    const response = await followed(fetch, url, init);
    const answer = await limitedText(response, maxResponseBytes);
    if (!response.ok) {
      const shown = answer.length > MAX_SHOWN ? `${answer.slice(0, MAX_SHOWN)}...` : answer;
      throw new HttpError(response.status, `HTTP ${response.status} ${response.statusText}: ${shown}`.trim());
    }
    if (answer === '') return null;
    return /[/+]json\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(answer) : answer;
  };
}

/**
 * @param {URL} baseUrl
 * @param {import('./operations').Operation} operation
 * @param {any} params
 */
function urlOf(baseUrl, { path, parameters }, params) {
  let filled = path;
  for (const { key, name, in: place } of parameters) {
    if (place !== 'path') continue;
    const value = Array.isArray(params[key]) ? params[key].map(text).join(',') : text(params[key]);
    // URLs take these for steps, whatever way they are written.
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`${key} must not be ${describe(value)}: it is part of a path`);
    }
    filled = filled.replaceAll(`{${name}}`, encodeURIComponent(value));
  }
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${filled}`;
  for (const parameter of parameters) {
    if (parameter.in === 'query' && params[parameter.key] !== undefined) {
      addQuery(url.searchParams, parameter, params[parameter.key]);
    }
  }
  return url;
}

/**
 * @param {URLSearchParams} query
 * @param {any} parameter
 * @param {any} value
 */
function addQuery(query, { name, style, explode, isJson }, value) {
  if (isJson) return query.append(name, JSON.stringify(value));
  if (Array.isArray(value)) {
    if (explode) return value.forEach((item) => query.append(name, text(item)));
    const between = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
    return query.append(name, value.map(text).join(between));
  }
  if (typeof value !== 'object' || value === null) return query.append(name, text(value));
  const entries = Object.entries(value);
  if (style === 'deepObject') return entries.forEach(([key, inner]) => query.append(`${name}[${key}]`, text(inner)));
  if (explode) return entries.forEach(([key, inner]) => query.append(key, text(inner)));
  return query.append(name, entries.flatMap(([key, inner]) => [key, text(inner)]).join(','));
}

/**
 * @param {import('./operations').Operation} operation
 * @param {any} params
 */
function bodyOf({ body, parameters }, params) {
  if (body === undefined) return undefined;
  const others = new Set(parameters.map(({ key }) => key));
  const value =
    body.key === undefined
      ? Object.fromEntries(Object.entries(params).filter(([key]) => !others.has(key)))
      : params[body.key];
  if (value === undefined) return undefined;
  if (/[/+]json\b/.test(body.contentType)) return JSON.stringify(value);
  if (body.contentType === 'application/x-www-form-urlencoded') {
    const fields = Object.entries(value).map(([key, inner]) => /** @type {[string, string]} */ ([key, text(inner)]));
    return new URLSearchParams(fields).toString();
  }
  if (typeof value === 'string') return value;
  throw new TypeError(`a body of ${body.contentType} must be a string, got ${describe(value)}`);
}

/**
 * Fills in the first alternative of the operation's security for which the host has all credentials.
 *
 * @param {import('./operations').Operation} operation
 * @param {Record<string, any>} credentials
 * @param {any} call
 * @param {URL} url
 * @param {Headers} headers
 */
async function authorize({ security, schemes }, credentials, call, url, headers) {
  const usable = security.find((names) => Object.keys(names).every((name) => Object.hasOwn(credentials, name)));
  for (const name of Object.keys(usable ?? {})) {
    const given = credentials[name];
    const value = typeof given === 'function' ? await given(call) : given;
    const { type, scheme, in: place, name: key } = schemes[name] ?? {};
    if (type === 'apiKey' && place === 'query') url.searchParams.set(key, value);
    else if (type === 'apiKey' && place === 'cookie') headers.set('cookie', `${key}=${encodeURIComponent(value)}`);
    else if (type === 'apiKey') headers.set(key, value);
    else if (type === 'http' && scheme?.toLowerCase() === 'basic') headers.set('authorization', `Basic ${btoa(value)}`);
    else headers.set('authorization', `Bearer ${value}`);
  }
}

/**
 * Follows redirects, but to no other origin: headers of the host would go there, too.
 *
 * @param {typeof fetch} fetch
 * @param {URL} url
 * @param {any} init
 */
async function followed(fetch, url, init) {
  let at = url;
  for (let steps = 0; ; steps++) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== null;
    if (!isRedirect || !['GET', 'HEAD'].includes(init.method)) return response;
    const next = new URL(location, at);
    if (next.origin !== at.origin || steps === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    at = next;
  }
}

/**
 * @param {Response} response
 * @param {number} maxBytes
 */
async function limitedText(response, maxBytes) {
  const parts = [];
  let bytes = 0;
  for await (const part of /** @type {any} */ (response.body ?? [])) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError(`the answer takes more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

module.exports = { HttpError, requester };
