// @ts-check
'use strict';

const { describe } = require('../../contract/describe');
const { operationsOf } = require('./operations');
const { resolved } = require('./schemas');

/** Characters of what is wrong with a document: the parser may name every step that it has taken. */
const MAX_REASON = 300;

/**
 * Reads a document. It takes seconds if the document is large, which is why `worker.js` does it.
 *
 * @param {unknown} document object, or text in JSON or YAML
 * @returns {Promise<ReturnType<typeof operationsOf>>} rejects with a TypeError if it is not valid, with a SyntaxError if it cannot be parsed
 */
async function readDocument(document) {
  const { parseYaml, validateOpenApi } = require('../../bundled/openapi');
  // JSON is YAML, but its own parser is faster by far.
  const parse = (/** @type {string} */ text) => (text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text));
  const api = typeof document === 'string' ? parse(document) : /** @type {any} */ (document);
  if (typeof api?.openapi !== 'string' || !/^3\.[01]\./.test(api.openapi)) {
    throw new TypeError(`document must be OpenAPI 3.0 or 3.1, got version ${describe(api?.openapi ?? api?.swagger)}`);
  }
  const copy = withoutSchemaReferences(api);
  // References stay what they are, and lead nowhere outside of the document.
  const checked = await validateOpenApi(copy, {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  }).catch((/** @type {any} */ error) => ({ valid: false, errors: [error] }));
  if (checked.valid === false) {
    const [first] = checked.errors;
    throw new TypeError(`document is not valid OpenAPI: ${firstLine(first?.message ?? first)}`);
  }
  return operationsOf(api);
}

/**
 * A copy that has `{}` in the place of references to schemas: each schema is validated where it is. The validator would go along all
 * of them, and there may be as many ways as it likes from one schema to the others.
 *
 * @param {any} api
 */
function withoutSchemaReferences(api) {
  const copy = structuredClone(api);
  const seen = new Set();
  for (let found = [copy]; found.length > 0;) {
    const value = found.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, inner] of Object.entries(value)) {
      if (!String(inner?.$ref).startsWith('#/components/schemas/')) {
        found.push(inner);
        continue;
      }
      resolved(api, inner);
      value[key] = {};
    }
  }
  return copy;
}

/** @param {unknown} text */
function firstLine(text) {
  const [line] = String(text).split('\n');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}...` : line;
}

module.exports = { readDocument };
