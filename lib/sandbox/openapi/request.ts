import { describe, isPlainObject } from '../../contract/describe';
import { hideDetails } from '../../contract/error-details';
import { parseJson } from '../../contract/json';
import { quotingIntegers } from './integers';
import { answerOf } from './response';
import { encodeText, expanded, formOf, isForm, isJsonType, jsonOf, pairsOf, queryOf } from './serialize';
import { Secrets } from './secrets';
import { EXPRESSION, templateOf } from './templates';
import type { Operation } from './operations';
import type { Body } from './serialize';
import type { Foreign } from '../../contract/foreign';

const MAX_REDIRECTS = 5;
/** Maximum characters of an answer that an error shows. */
const MAX_SHOWN = 500;

/** Maximum characters of the headers, and of the JSON, of an unsuccessful answer that programs get. */
const MAX_DATA = 6_000;

/** An unsuccessful answer of the API. Programs read its headers and its JSON in `data`. */
class HttpError extends Error {
  status;
  code;
  data;

  constructor(status: number, message: string, data: { headers?: object; body?: unknown }) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = `HTTP_${status}`;
    this.data = data;
  }
}

/**
 * @param reading the body of the answer
 * @param location the target of a redirect that was not followed. It is not a part of `data`, because it may contain
 *   credentials.
 */
async function errorOf(
  response: Response,
  reading: Promise<string | Uint8Array>,
  location: URL | undefined,
  secrets: Secrets,
) {
  const { status, statusText } = response;
  const answer = await reading.catch((error: Error) => error);
  const said = answer instanceof Error ? answer.message : shown(answer);
  const place = location === undefined ? '' : ` (to ${location.origin}${location.pathname})`;
  const reason = `HTTP ${status} ${statusText}`.trim() + place;
  const { location: _, ...headers } = headersIn(response, secrets);
  const body = typeof answer === 'string' ? await jsonIn(response, secrets.hiddenIn(answer)) : undefined;
  return new HttpError(status, secrets.hiddenIn(said === '' ? reason : `${reason}: ${said}`), {
    ...(JSON.stringify(headers).length <= MAX_DATA && { headers }),
    ...(body !== undefined && { body }),
  });
}

/** The value of short JSON. */
async function jsonIn({ headers }: Response, text: string): Promise<unknown> {
  if (!isJsonType(headers.get('content-type') ?? '') || text.length > MAX_DATA) return undefined;
  return parseJson(await quotingIntegers(text)).catch(() => undefined);
}

/**
 * Returns the function that makes the request of an operation.
 * @param api.headers an object, or a function of the call that returns one
 * @param api.credentials by security scheme: a string, or a function of the call that returns one
 * @param api.schemes the security schemes of the document
 */
export function requester({
  fetch,
  headers,
  credentials,
  schemes,
  maxResponseBytes,
}: {
  fetch: typeof globalThis.fetch;
  headers: Foreign;
  credentials: Record<string, Foreign>;
  schemes: Record<string, Foreign>;
  maxResponseBytes: number;
}) {
  const made = async (operation: Operation, baseUrl: URL, given: Foreign, call: Foreign, secrets: Secrets) => {
    // Parameter names come from a document, and plain objects inherit names.
    const params = { __proto__: null, ...given };
    const url = urlOf(baseUrl, operation, params);
    const sent = new Headers({ accept: operation.accept });
    for (const parameter of operation.parameters) {
      const value = params[parameter.key] ?? undefined;
      if (parameter.in === 'header' && value !== undefined) setHeader(sent, parameter, value);
    }
    const body = bodyOf(operation, params);
    if (body !== undefined) sent.set('content-type', body.contentType);
    // The host's headers are set last, so that guests cannot replace them.
    logIn(baseUrl, url, sent, secrets);
    await authorize(operation, { credentials, schemes }, call, { url, headers: sent, secrets });
    const ownPairs = async () => pairsIn(await headers(call));
    const own = typeof headers === 'function' ? await ofHost(ownPairs, 'headers of the request') : headers;
    for (const [name, value] of headersOf(own, secrets)) sent.set(name, value);
    addCookies(sent, operation, params);
    const init = { method: operation.method, headers: sent, body: body?.content, signal: call.signal };
    const { response, location } = await followed(fetch, url, init).catch((error) => {
      throw withHost(error, url);
    });
    const reading = answerOf(response, maxResponseBytes);
    if (!response.ok) throw await errorOf(response, reading, location, secrets);
    const answer = await reading.catch((error) => {
      throw withHost(error, url);
    });
    const isJson = typeof answer === 'string' && isJsonType(response.headers.get('content-type') ?? '');
    const value = answer.length === 0 ? null : isJson ? await parsed(answer, operation, call.signal) : answer;
    return call.wantsResponse === true ? responseOf(response, value, secrets) : value;
  };
  return async (operation: Operation, baseUrl: URL, given: Foreign, call: Foreign) => {
    const secrets = new Secrets();
    try {
      return await made(operation, baseUrl, given, call, secrets);
    } catch (error) {
      const hidden = secrets.hiddenFrom(error);
      // Causes may come from the host's `fetch`, and show requests. An `HttpError` has only parts of the answer.
      throw hidden instanceof HttpError ? hidden : hideDetails(hidden);
    }
  };
}

/**
 * Headers of the host. Errors name a header that cannot be sent, without its value.
 * @param secrets are added to
 */
export function headersOf(given: Foreign, secrets?: Secrets): Headers {
  const headers = new Headers();
  for (const [name, value] of pairsIn(given)) {
    secrets?.addHeader(name, value);
    try {
      headers.append(name, value);
    } catch {
      throw new TypeError(`the header ${describe(name)} of the host has a name or a value that cannot be sent`);
    }
  }
  return headers;
}

function pairsIn(given: Foreign): [name: string, value: string][] {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object') throw new TypeError(`got ${typeof given}`);
  const pairs = typeof given[Symbol.iterator] === 'function' ? [...given] : Object.entries(given);
  return pairs.map((pair: Foreign) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError('got a list whose items are not pairs');
    return [String(pair[0]), String(pair[1])];
  });
}

/** The result of a function of the host. Its errors are only for the host, because they may contain its secrets. */
async function ofHost<T>(work: () => T, what: string): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`the host has failed to make the ${what}`, { cause });
  }
}

/** Takes user and password out of a URL, which `fetch` refuses, and sends them as a header. */
function logIn(baseUrl: URL, url: URL, headers: Headers, secrets: Secrets) {
  for (const [name, value] of baseUrl.searchParams) secrets.addQuery(name, value);
  const { username, password } = baseUrl;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return;
  for (const part of [username, password]) secrets.add(part);
  const login = `${decoded(username)}:${decoded(password)}`;
  secrets.addLogin(login);
  headers.set('authorization', basic(login));
}

function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Headers of an answer that only the host may see. */
const HOST_HEADERS = new Set(['set-cookie', 'set-cookie2']);

/**
 * The answer with its status and headers. Links to further pages may contain secrets, because APIs repeat keys of the
 * query in them.
 */
function responseOf(response: Response, body: unknown, secrets: Secrets) {
  return { status: response.status, headers: headersIn(response, secrets), body };
}

function headersIn({ headers }: Response, secrets: Secrets): Record<string, string> {
  const shownHeaders = [...headers]
    .filter(([name]) => !HOST_HEADERS.has(name))
    .map(([name, value]) => [name, secrets.hiddenIn(value)]);
  return Object.fromEntries(shownHeaders);
}

function setHeader(headers: Headers, parameter: Operation['parameters'][0], value: unknown) {
  const text = expanded(parameter, value);
  // Nothing is left of a list of nulls.
  if (text === '' && typeof value === 'object') return;
  try {
    headers.set(parameter.name, text);
  } catch (cause) {
    throw new TypeError(`${parameter.key} is sent as a header, and must be one line of Latin-1 characters`, { cause });
  }
}

async function parsed(answer: string, { method, path }: Operation, signal?: AbortSignal) {
  try {
    // Third parties write the answer: deep nesting is refused, and long input is parsed in slices.
    return await parseJson(await quotingIntegers(answer, signal), undefined, signal);
  } catch (cause) {
    const reason = (cause as Error).message;
    if (cause instanceof RangeError)
      throw new RangeError(`the answer of ${method} ${path} cannot be read: ${reason}`, { cause });
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new SyntaxError(`the answer of ${method} ${path} is not valid JSON, although its type says so: ${reason}`, {
      cause,
    });
  }
}

/** Adds the host to the error of a failed connection. Other errors are unchanged. */
function withHost(error: Foreign, { host }: URL) {
  const { code, message } = error?.cause ?? {};
  // Only the error's own code: causes of other errors are only for the host.
  const reason = code ?? (error?.message === 'fetch failed' ? message : undefined);
  if (typeof reason !== 'string') return error;
  return Object.assign(new TypeError(`${error.message}: ${reason} (${host})`, { cause: error }), { code });
}

/** Adds cookies of guests after those of the host. They cannot replace the host's. */
function addCookies(headers: Headers, { parameters }: Operation, params: Foreign) {
  const given = headers.get('cookie') ?? '';
  const taken = new Set(given.split(';').map((pair) => pair.split('=', 1)[0].trim()));
  const cookies = parameters
    .filter((parameter) => parameter.in === 'cookie')
    .flatMap((parameter) => pairsOf(parameter, params[parameter.key], encodeText))
    .filter(([name]) => !taken.has(name))
    .map((pair) => pair.join('='));
  if (cookies.length > 0) headers.set('cookie', [given, ...cookies].filter((text) => text !== '').join('; '));
}

function urlOf(baseUrl: URL, { path, parameters }: Operation, params: Foreign) {
  const template = templateOf(path);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const filled = (text: string) =>
    text.replace(EXPRESSION, (expression, inner: string) => {
      const parameter = inPath.find(({ expressions }) => expressions.includes(inner));
      // `{?name}`: the parameters of the query have their own place.
      if (parameter === undefined) return /^[?&]/.test(inner) ? '' : expression;
      return segmentOf(parameter, params[parameter.key]);
    });
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${filled(template.pathname)}`;
  const given = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => queryOf(parameter, params[parameter.key]));
  // Values of the guest replace the defaults of the template.
  const names = new Set(given.map(nameIn));
  const fixed = filled(template.query)
    .split('&')
    .filter((pair) => pair !== '' && !names.has(nameIn(pair)));
  // `searchParams` would encode delimiters.
  url.search = [url.search.slice(1), ...fixed, ...given].filter((part) => part !== '').join('&');
  return url;
}

function nameIn(pair: string) {
  return pair.split('=', 1)[0];
}

function segmentOf(parameter: Operation['parameters'][0], given: unknown) {
  const value = given === null || given === undefined ? given : expanded(parameter, given, encodeText);
  // URLs treat the others as path steps, in every spelling.
  if (value === null || value === undefined || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${parameter.key} must not be ${describe(value)}: it is part of a path`);
  }
  return value;
}

function bodyOf({ body, parameters }: Operation, params: Foreign): Body | undefined {
  if (body === undefined) return undefined;
  const { key, choice, fields, isOptional } = body;
  const contentType = (choice === undefined ? undefined : params[choice]) ?? body.contentType;
  const others = new Set([...parameters.map((parameter) => parameter.key), choice]);
  const value =
    key === undefined ? Object.fromEntries(Object.entries(params).filter(([name]) => !others.has(name))) : params[key];
  if (value === undefined || (isOptional && Object.keys(value).length === 0)) return undefined;
  if (isJsonType(contentType)) return { contentType, content: jsonOf(value) };
  const refused = (wanted: string) =>
    new TypeError(`a body of ${contentType} must be ${wanted}, got ${describe(value)}`);
  if (isForm(contentType)) {
    if (!isPlainObject(value)) throw refused('an object');
    return formOf(contentType, fields, value);
  }
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw refused('a string or bytes');
  return { contentType, content: value };
}

/** Applies the credentials of an operation. */
async function authorize(
  operation: Operation,
  { credentials, schemes }: { credentials: Record<string, Foreign>; schemes: Record<string, Foreign> },
  call: Foreign,
  { url, headers, secrets }: { url: URL; headers: Headers; secrets: Secrets },
) {
  for (const name of operation.credentials) {
    const given = credentials[name];
    const value =
      typeof given === 'function'
        ? await ofHost(() => given(call), `credential for the security scheme ${name}`)
        : given;
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(
        `the host has no credential for the security scheme ${name}: it must be a string, got ${value === '' ? '""' : typeof value}`,
      );
    }
    const { type, scheme, in: place, name: key } = schemes[name] ?? {};
    const isBasic = type === 'http' && scheme?.toLowerCase() === 'basic';
    // Vendors show tokens as the whole value of the header.
    const token = value.replace(/^bearer +/i, '');
    if (isBasic) secrets.addLogin(value);
    else secrets.add(type === 'apiKey' ? value : token);
    try {
      if (type === 'apiKey' && place === 'query') setQuery(url, key, value);
      else if (type === 'apiKey' && place === 'cookie') headers.append('cookie', `${key}=${encodeURIComponent(value)}`);
      else if (type === 'apiKey') headers.set(key, value);
      else headers.set('authorization', isBasic ? basic(value) : `Bearer ${token}`);
    } catch {
      throw new TypeError(
        `the credential of the host for the security scheme ${name} cannot be sent: it must be one line`,
      );
    }
  }
}

/** Sets a parameter, and leaves the encoding of the others as it is. */
function setQuery(url: URL, key: string, value: string) {
  const name = encodeText(key);
  const isOther = (pair: string) => pair !== '' && new URLSearchParams(pair).get(key) === null;
  url.search = [...url.search.slice(1).split('&').filter(isOther), `${name}=${encodeText(value)}`].join('&');
}

/**
 * Follows redirects of requests that change nothing, and a redirect to the result of a request that changed something.
 * Redirects to other origins are not followed, because the host's headers would be sent there.
 *
 * @returns `location`: the target of a redirect that was not followed
 */
async function followed(
  fetch: typeof globalThis.fetch,
  url: URL,
  given: Foreign,
): Promise<{ response: Response; location?: URL }> {
  let init = given;
  let at = url;
  for (let steps = 0; ; steps++) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== null;
    if (!isRedirect || !URL.canParse(location, at.href)) return { response };
    const next = new URL(location, at);
    // A redirect may contain credentials. `fetch` would refuse them, with an error that shows them.
    next.username = '';
    next.password = '';
    const isRead = ['GET', 'HEAD'].includes(init.method);
    const mayFollow = isRead || response.status === 303;
    if (!mayFollow || next.origin !== at.origin || steps === MAX_REDIRECTS) return { response, location: next };
    await response.body?.cancel();
    if (!isRead) init = asGet(init);
    at = next;
  }
}

function asGet({ body: _, headers, ...init }: Foreign) {
  const kept = new Headers(headers);
  kept.delete('content-type');
  return { ...init, method: 'GET', headers: kept };
}

/** @param answer an unsuccessful one */
function shown(answer: string | Uint8Array) {
  if (typeof answer !== 'string') return `${answer.length} bytes`;
  return answer.length > MAX_SHOWN ? `${answer.slice(0, MAX_SHOWN)}...` : answer;
}

/** @param login `user:password`, sent as UTF-8: RFC 7617 */
function basic(login: string) {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}
