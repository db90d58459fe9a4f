import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { WorkBudget, inSlices } from '../../contract/budget';
import { shownUrl } from '../../contract/shown-url';
import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { record } from '../../contract/options';
import { withTimeLimit } from '../../contract/time-limit';
import { NULLS_OMITTED } from '../params';
import { unpacked } from './packed';
import { headersOf, requester } from './request';
import { hasExpression } from './templates';
import type { Given } from '../../contract/options';
import type { SandboxAdapter, SandboxAdapters, SandboxMethod, SandboxRegistry, SdkCall } from '../api';
import type { Packed } from './packed';
import type { Operation, Server } from './operations';
import type { Foreign } from '../../contract/foreign';

/** An operation of an OpenAPI document, for {@link OpenApiOptions.filter}. */
export interface OpenApiOperation {
  source: string;
  name: string;
  /** Upper case, such as `GET`. */
  method: string;
  path: string;
  tags: string[];
  operationId?: string;
}

/** The type that Node.js or the DOM declares, if available. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- neither has declared the type
type Fetch = typeof globalThis extends { fetch: infer Declared } ? Declared : (...args: Foreign[]) => Promise<any>;

export interface OpenApiOptions {
  /** Default: the `fetch` of Node.js. */
  fetch?: Fetch | undefined;
  /**
   * Base URL of all requests. Default: the first usable server of the operation, its path or the document, with the
   * defaults of its variables. A server with a relative URL is resolved against it. User and password are sent as a
   * header.
   */
  baseUrl?: string | undefined;
  /** Headers of each request, or a function of the call that returns them. They replace headers that guests set. */
  headers?:
    Record<string, string> | ((call: SdkCall) => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Credentials for the document's security schemes, by name: a token, a key, or `user:password` for basic
   * authentication, or a function of the call that returns one. Guests have no parameters for these values. Of an
   * operation's alternatives, the first one is used that needs credentials and for which all are present. A call fails
   * if a function does not return a string. Names that are not in the document are refused, and so are schemes that
   * need more than a header, a query or a cookie, such as digest.
   */
  credentials?: Record<string, string | ((call: SdkCall) => string | Promise<string>)> | undefined;
  /** Selects the operations to include. Default: all. */
  filter?: ((operation: OpenApiOperation) => boolean) | undefined;
  /** Maximum bytes of one response; default 8 MiB. */
  maxResponseBytes?: number | undefined;
  /**
   * Reads other files of the document. It gets paths relative to the document, never absolute ones or ones outside its
   * folder. Without it, operations that refer to other files are left out.
   */
  readFile?: ((path: string) => string | Promise<string>) | undefined;
  /** Ends reading. The promise is then rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that reading may take; default 60,000. Beyond them the promise is rejected with a `RangeError`. */
  timeoutMs?: number | undefined;
  /** Bytes that the document may have, and its other files; default 32 MiB. */
  maxDocumentBytes?: number | undefined;
}

/** Memory of the thread that reads a document. Text takes up to twenty times its size. */
const MAX_READING_MB = 2_048;
const DEFAULT_READING_MS = 60_000;
const DEFAULT_DOCUMENT_BYTES = 32 * 2 ** 20;

/**
 * Creates the registry and adapters for a document of Swagger 2.0 or OpenAPI 3.0 to 3.2: an object, or a string in JSON
 * or YAML. Each tag becomes a source, and each operation a method. A separate thread reads the document. Of OpenAPI 3.2
 * it reads the parts that 3.1 has.
 *
 * A flaw in an operation leaves out that operation. `warnings` has a line for each: its method and path, the reason and
 * a JSON pointer. Extensions, unknown words and texts for readers have no effect.
 *
 * Requests: parameters in path, query, header and cookie, and the properties of a JSON body, become the properties of
 * the method's one parameter. A body becomes the property `body` if it is not an object, if one of its names is also a
 * parameter, or if it is a form. If a body may have several JSON content types, `contentType` selects one. Values are
 * serialized in the document's styles, and forms by its `encoding`; `null` is left out, except in JSON. Bytes are a
 * `Uint8Array`, or a string, which is sent as UTF-8. A file of a multipart form may also be `{ content, filename,
 * contentType }`. `readOnly` properties are not required, and alternatives of `oneOf` may overlap. A `pattern` that RE2
 * does not support is left to the API. An optional body is not sent if none of its properties is given.
 *
 * Responses: JSON is parsed, and text is decoded by its charset. Other content is a `Uint8Array`, and an empty response
 * is `null`. Integers beyond 2^53 are strings, which parameters of integers accept. With `{ response: true }` as second
 * argument, a call returns `{ status, headers, body }`, with names of headers in lower case and without `set-cookie`.
 * Unsuccessful responses are errors with a code such as `HTTP_404`, and with `data` that has `headers` and, for short
 * JSON, `body`. Failed connections are errors with their own code, such as `ECONNREFUSED`. Redirects are followed
 * within one origin. For requests that change something, only redirects with status 303 are followed.
 *
 * @throws `TypeError` for a document of another version, and for one with too many values or levels
 * @throws `SyntaxError` for a string that cannot be read as JSON or YAML
 * @throws `RangeError` if reading takes more time or memory than it may
 */
export async function registryFromOpenApi(
  document: string | object,
  options?: OpenApiOptions,
): Promise<{ registry: SandboxRegistry; adapters: SandboxAdapters; warnings: string[] }> {
  const given = record(options, 'options', OPTIONS);
  const { fetch: ownFetch = globalThis.fetch, baseUrl, headers, credentials = {}, filter = () => true } = given;
  for (const [name, value] of Object.entries({ fetch: ownFetch, filter })) {
    if (typeof value !== 'function') throw new TypeError(`options.${name} must be a function, got ${describe(value)}`);
  }
  if (!isPlainObject(credentials)) {
    throw new TypeError(`options.credentials must be an object by security scheme, got ${describe(credentials)}`);
  }
  for (const [name, value] of Object.entries(credentials)) {
    if (typeof value === 'string' || typeof value === 'function') continue;
    throw new TypeError(
      `${memberPath('options.credentials', name)} must be a string or a function, got ${describe(value)}`,
    );
  }
  const givenBase = baseUrl === undefined ? undefined : baseUrlOf(baseUrl, '');
  if (typeof headers !== 'function') refuseWrongHeaders(headers);
  const read = await readElsewhere(document, Object.keys(credentials), readingOf(given));
  const { schemes, warnings } = read;
  // Without this check, requests would be sent without the credential.
  const unknown = Object.keys(credentials).find((name) => !Object.hasOwn(schemes, name));
  if (unknown !== undefined) {
    const known = Object.keys(schemes);
    const names = known.length === 0 ? 'it has none' : `they are ${known.join(', ')}`;
    throw new TypeError(
      `${memberPath('options.credentials', unknown)} is not a security scheme of the document; ${names}`,
    );
  }
  for (const name of Object.keys(credentials)) refuseUnsupported(name, schemes[name]);
  const request = requester({
    fetch: ownFetch,
    headers,
    credentials,
    schemes,
    maxResponseBytes: given.maxResponseBytes ?? 8 * (1 << 20),
  });
  const sources: Map<string, { name: string; description: string; methods: SandboxMethod[] }> = new Map();
  const adapters: Record<string, Record<string, SandboxAdapter>> = Object.create(null);
  const $defs: Record<string, unknown> = {};
  const add = (operation: Operation) => {
    const { source, name, method, path, tags, operationId } = operation;
    if (!filter({ source, name, method, path, tags, operationId })) return;
    const known = sources.get(source) ?? { name: source, description: operation.sourceDescription, methods: [] };
    sources.set(source, known);
    known.methods.push(operation.spec as SandboxMethod);
    const base = baseOf(operation.server, givenBase);
    const adapter: SandboxAdapter = (params, call) => request(operation, base, params, call);
    (adapters[source] ??= {})[name] = Object.assign(adapter, { [NULLS_OMITTED]: nullsOmitted(operation) });
  };
  const budget = new WorkBudget();
  function* adding() {
    for (const operation of unpacked(read.operations)) {
      add(operation);
      if (budget.isSliceOver()) yield;
    }
    for (const [name, schema] of unpacked(read.$defs)) {
      $defs[name] = schema;
      if (budget.isSliceOver()) yield;
    }
  }
  await inSlices(adding(), budget, given.signal);
  return { registry: { sources: [...sources.values()], $defs: $defs as SandboxRegistry['$defs'] }, adapters, warnings };
}

const OPTIONS = [
  ...['fetch', 'baseUrl', 'headers', 'credentials', 'filter', 'maxResponseBytes'],
  ...['readFile', 'signal', 'timeoutMs', 'maxDocumentBytes'],
];

interface Reading {
  readFile: ((path: string) => unknown) | undefined;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  maxBytes: number;
}

/** How a document is read. */
function readingOf(options: Given): Reading {
  const {
    readFile,
    signal,
    timeoutMs = DEFAULT_READING_MS,
    maxDocumentBytes: maxBytes = DEFAULT_DOCUMENT_BYTES,
  } = options;
  if (readFile !== undefined && typeof readFile !== 'function') {
    throw new TypeError(`options.readFile must be a function, got ${describe(readFile)}`);
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError(`options.signal must be an AbortSignal, got ${describe(signal)}`);
  }
  for (const [name, value] of Object.entries({ timeoutMs, maxDocumentBytes: maxBytes })) {
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw new TypeError(`options.${name} must be a positive integer, got ${describe(value)}`);
  }
  return { readFile, signal, timeoutMs, maxBytes };
}

/** What a thread has read. */
interface Read {
  operations: Packed<Operation>;
  $defs: Packed<[name: string, schema: unknown]>;
  schemes: Record<string, Foreign>;
  warnings: string[];
}

/** Reads a document on a separate thread, within its budgets. */
async function readElsewhere(document: unknown, credentials: string[], reading: Reading): Promise<Read> {
  const { readFile, signal, timeoutMs, maxBytes } = reading;
  if (typeof document !== 'string' && !isPlainObject(document)) {
    throw new TypeError(`document must be an object, or a string of JSON or YAML, got ${describe(document)}`);
  }
  if (typeof document === 'string' && (document.length > maxBytes || Buffer.byteLength(document) > maxBytes)) {
    throw new RangeError(`document has more than ${maxBytes} bytes, the limit of options.maxDocumentBytes`);
  }
  signal?.throwIfAborted();
  const worker = workerWith({ document, hasFiles: readFile !== undefined, maxChars: maxBytes, credentials });
  try {
    const { read, error } = await withTimeLimit(answerOf(worker, readFile), {
      timeoutMs,
      signal: signal as AbortSignal,
      late: () => new RangeError(`document cannot be read within ${timeoutMs} ms, the limit of options.timeoutMs`),
    });
    if (error !== undefined) throw error;
    return read;
  } finally {
    // The thread is no longer needed.
    void worker.terminate();
  }
}

function workerWith(workerData: object) {
  try {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_READING_MB };
    return new Worker(join(__dirname, 'worker.js'), { workerData, resourceLimits });
  } catch (cause) {
    throw new TypeError(`document must be data, as JSON represents it: ${(cause as Error).message}`, { cause });
  }
}

/** The message that a thread posts when it has read the document. Before that it asks for files. */
function answerOf(worker: Worker, readFile: Reading['readFile']) {
  return new Promise<{ read: Read; error?: unknown }>((resolve, reject) => {
    worker.on('message', (message) => {
      if (message.path === undefined) resolve(message);
      else void answerFile(worker, message.path, readFile);
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(isTooLarge ? new RangeError(`document takes more than ${MAX_READING_MB} MiB when it is read`) : error);
    });
    // If the worker posts a message, it arrives before this event.
    worker.once('exit', (status) => reject(new Error(`the thread that reads the document has ended (${status})`)));
  });
}

async function answerFile(worker: Worker, path: string, readFile: Reading['readFile']) {
  try {
    const text = await readFile?.(path);
    if (typeof text !== 'string') throw new TypeError(`options.readFile must return a string, got ${describe(text)}`);
    worker.postMessage({ text });
  } catch (error) {
    worker.postMessage({ failed: String((error as Error)?.message ?? error) });
  }
}

function refuseWrongHeaders(headers: ConstructorParameters<typeof Headers>[0]) {
  try {
    headersOf(headers);
  } catch (error) {
    const { message } = error as Error;
    // eslint-disable-next-line preserve-caught-error -- the cause may show the values of headers, which are secrets
    throw new TypeError(`options.headers must be headers by name, or a function that returns them: ${message}`);
  }
}

/** Paths of the parameters that are not in the path, and of the fields of a form. */
function nullsOmitted({ parameters, body }: Operation): string[][] {
  const key = body?.key;
  const fields = key === undefined ? [] : (body?.fields ?? []).map(({ name }) => [key, name]);
  return [...parameters.filter((parameter) => parameter.in !== 'path').map((parameter) => [parameter.key]), ...fields];
}

/** @throws {TypeError} for a security scheme whose credentials need more than a header, a cookie or a query */
function refuseUnsupported(name: string, { type, scheme, in: place }: Foreign) {
  const isKnown =
    type === 'apiKey'
      ? ['header', 'query', 'cookie'].includes(place)
      : type === 'http'
        ? /^(?:basic|bearer)$/i.test(scheme)
        : type === 'oauth2' || type === 'openIdConnect';
  if (isKnown) return;
  const what = type === 'http' ? `HTTP scheme ${describe(scheme)}` : `type ${describe(type)}`;
  throw new TypeError(
    `${memberPath('options.credentials', name)} cannot be sent: the ${what} is not supported; use options.headers or options.fetch`,
  );
}

/** The URL of a server. Relative URLs are resolved against the base URL, which replaces absolute ones. */
function baseOf({ base, steps }: Server, given: URL | undefined) {
  let at = given ?? (base === undefined ? undefined : baseUrlOf(base, ', since the document has none'));
  for (const step of steps) {
    // Documents without servers have `/`.
    if (at === undefined || /^\/?$/.test(step)) continue;
    const folder = new URL(at);
    if (!folder.pathname.endsWith('/')) folder.pathname += '/';
    at = URL.canParse(step, folder.href) ? new URL(step, folder) : at;
    // The other parts of the base URL belong to all requests.
    Object.assign(at, { username: folder.username, password: folder.password, search: at.search || folder.search });
  }
  return at ?? baseUrlOf(steps.at(-1), ', since the document has none');
}

/** @param reason why a base URL is required */
function baseUrlOf(url: unknown, reason: string) {
  try {
    const parsed = new URL(url as string);
    if (/^https?:$/.test(parsed.protocol) && !hasExpression(url as string)) return parsed;
  } catch {
    // The error below reports it.
  }
  throw new TypeError(
    `options.baseUrl must be an http URL${reason}, got ${describe(typeof url === 'string' ? shownUrl(url) : url)}`,
  );
}
