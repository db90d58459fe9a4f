import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { record } from '../../contract/options';
import { requester } from './request';
import type { readDocument } from './document';

/**
 * Creates the registry and adapters of an OpenAPI document. Documented in `../api.d.ts`.
 *
 * @param document object, or string in JSON or YAML
 */
export async function registryFromOpenApi(document: unknown, options?: unknown) {
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
  const { operations, $defs, schemes } = await readElsewhere(document);
  // Without this check, requests would be sent without the credential.
  const unknown = Object.keys(credentials).find((name) => !schemes.includes(name));
  if (unknown !== undefined) {
    const names = schemes.length === 0 ? 'it has none' : `they are ${schemes.join(', ')}`;
    throw new TypeError(
      `${memberPath('options.credentials', unknown)} is not a security scheme of the document; ${names}`,
    );
  }
  const request = requester({
    fetch: ownFetch,
    headers,
    credentials,
    maxResponseBytes: given.maxResponseBytes ?? 8 * (1 << 20),
  });
  const sources: Map<string, { name: string; description: string; methods: any[] }> = new Map();
  const adapters: Record<string, Record<string, (params: any, call: any) => Promise<unknown>>> = Object.create(null);
  for (const operation of operations) {
    const { source, name, method, path, tags, operationId } = operation;
    if (!filter({ source, name, method, path, tags, operationId })) continue;
    const known = sources.get(source) ?? { name: source, description: operation.sourceDescription, methods: [] };
    sources.set(source, known);
    known.methods.push(operation.spec);
    const base = givenBase ?? baseUrlOf(operation.serverUrl, ', since the document has none');
    (adapters[source] ??= {})[name] = (params, call) => request(operation, base, params, call);
  }
  return { registry: { sources: [...sources.values()], $defs }, adapters };
}

const OPTIONS = ['fetch', 'baseUrl', 'headers', 'credentials', 'filter', 'maxResponseBytes'];

/** Reads a document on a separate thread. */
async function readElsewhere(document: unknown): ReturnType<typeof readDocument> {
  if (typeof document !== 'string' && !isPlainObject(document)) {
    throw new TypeError(`document must be an object or a text in JSON or YAML, got ${describe(document)}`);
  }
  const worker = new Worker(join(__dirname, 'worker.js'), { workerData: document });
  const { read, error } = await new Promise<{ read: Awaited<ReturnType<typeof readDocument>>; error?: unknown }>(
    (resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      // If the worker posts a message, it arrives before this event.
      worker.once('exit', (status) => reject(new Error(`the thread that reads the document has ended (${status})`)));
    },
  );
  if (error !== undefined) throw error;
  return read;
}

function refuseWrongHeaders(headers: any) {
  try {
    new Headers(headers ?? {});
  } catch (cause) {
    const { message } = cause as Error;
    throw new TypeError(`options.headers must be headers by name, or a function that gives such: ${message}`, {
      cause,
    });
  }
}

/** @param reason why a base URL is required */
function baseUrlOf(url: unknown, reason: string) {
  try {
    const parsed = new URL(url as string);
    if (/^https?:$/.test(parsed.protocol)) return parsed;
  } catch {
    // The error below reports it.
  }
  throw new TypeError(`options.baseUrl must be an http URL${reason}, got ${describe(url)}`);
}
