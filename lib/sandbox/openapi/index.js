// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { record } = require('../../contract/options');
const { operationsOf } = require('./operations');
const { requester } = require('./request');

/**
 * Registry and adapters of an OpenAPI document. Documented in `../index.d.ts`.
 *
 * @param {unknown} document object, or text in JSON or YAML
 * @param {unknown} [options]
 */
async function registryFromOpenApi(document, options) {
  const given = record(options, 'options', OPTIONS);
  const { fetch: ownFetch = globalThis.fetch, baseUrl, headers, credentials = {}, filter = () => true } = given;
  for (const [name, value] of Object.entries({ fetch: ownFetch, filter })) {
    if (typeof value !== 'function') throw new TypeError(`options.${name} must be a function, got ${describe(value)}`);
  }
  if (!isPlainObject(credentials)) {
    throw new TypeError(`options.credentials must be an object by security scheme, got ${describe(credentials)}`);
  }
  const api = await parsedDocument(document);
  const request = requester({
    fetch: ownFetch,
    baseUrl: baseUrlOf(api, baseUrl),
    headers,
    credentials,
    maxResponseBytes: given.maxResponseBytes ?? 8 * (1 << 20),
  });
  /** @type {Map<string, { name: string, description: string, methods: any[] }>} */
  const sources = new Map();
  /** @type {Record<string, Record<string, (params: any, call: any) => Promise<unknown>>>} */
  const adapters = {};
  for (const operation of operationsOf(api)) {
    const { source, name, method, path, tags, operationId } = operation;
    if (!filter({ source, name, method, path, tags, operationId })) continue;
    const known = sources.get(source) ?? { name: source, description: operation.sourceDescription, methods: [] };
    sources.set(source, known);
    known.methods.push(operation.spec);
    (adapters[source] ??= {})[name] = (params, call) => request(operation, params, call);
  }
  return { registry: { sources: [...sources.values()] }, adapters };
}

const OPTIONS = ['fetch', 'baseUrl', 'headers', 'credentials', 'filter', 'maxResponseBytes'];

/** @param {unknown} document */
async function parsedDocument(document) {
  if (typeof document !== 'string' && !isPlainObject(document)) {
    throw new TypeError(`document must be an object or a text in JSON or YAML, got ${describe(document)}`);
  }
  // Here and not above: most sandboxes have another registry.
  const { parseYaml, validateOpenApi } = require('../../bundled/openapi');
  // JSON is YAML, but its own parser is faster by far.
  const parse = (/** @type {string} */ text) => (text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text));
  const api = typeof document === 'string' ? parse(document) : document;
  if (typeof api?.openapi !== 'string' || !/^3\.[01]\./.test(api.openapi)) {
    throw new TypeError(`document must be OpenAPI 3.0 or 3.1, got version ${describe(api?.openapi ?? api?.swagger)}`);
  }
  // References stay what they are, and lead nowhere outside of the document.
  const checked = await validateOpenApi(structuredClone(api), {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  });
  if (checked.valid === false) {
    const [first] = checked.errors;
    throw new TypeError(`document is not valid OpenAPI: ${String(first?.message ?? first).split('\n')[0]}`);
  }
  return api;
}

/**
 * @param {any} api
 * @param {unknown} baseUrl
 */
function baseUrlOf(api, baseUrl) {
  const url = baseUrl ?? api.servers?.[0]?.url;
  try {
    const parsed = new URL(/** @type {string} */ (url));
    if (/^https?:$/.test(parsed.protocol)) return parsed;
  } catch {
    // What follows says it.
  }
  throw new TypeError(`options.baseUrl must be an http URL, since the document has none, got ${describe(url)}`);
}

module.exports = { registryFromOpenApi };
