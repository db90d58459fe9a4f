// @ts-check
'use strict';

const { describe } = require('../../contract/describe');
const { operationsOf } = require('./operations');

/**
 * Reads a document. It takes seconds if the document is large, which is why `worker.js` does it.
 *
 * @param {unknown} document object, or text in JSON or YAML
 * @returns {Promise<ReturnType<typeof operationsOf> & { serverUrl: unknown }>} rejects with a TypeError if it is not
 *   valid, with a SyntaxError if it cannot be parsed
 */
async function readDocument(document) {
  const { parseYaml, validateOpenApi } = require('../../bundled/openapi');
  // JSON is YAML, but its own parser is faster by far.
  const parse = (/** @type {string} */ text) => (text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text));
  const api = typeof document === 'string' ? parse(document) : /** @type {any} */ (document);
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
  return { ...operationsOf(api), serverUrl: api.servers?.[0]?.url };
}

module.exports = { readDocument };
