// @ts-check
'use strict';

const { describe, isPlainObject } = require('../../contract/describe');
const { METHODS, operationsOf } = require('./operations');
const { resolved } = require('./schemas');

/** Characters of what is wrong with a document: the parser may name every step that it has taken. */
const MAX_REASON = 300;

/** Aliases of a YAML, multiplied where they are inside of each other; and values of what comes of it. */
const MAX_ALIASES = 10_000;
const MAX_VALUES = 5_000_000;

/**
 * Reads a document. It takes seconds if the document is large, which is why `worker.js` does it.
 *
 * @param {unknown} document object, or text in JSON or YAML
 * @returns {Promise<ReturnType<typeof operationsOf>>} rejects with a TypeError if it is not valid, with a SyntaxError if it cannot be parsed
 */
async function readDocument(document) {
  const api = typeof document === 'string' ? parsed(document) : /** @type {any} */ (document);
  // So would be the name of a file.
  if (typeof api === 'string') throw new TypeError(`document must be the text of a document, got ${describe(api)}`);
  if (typeof api?.openapi !== 'string' || !/^3\.[01]\./.test(api.openapi)) {
    throw new TypeError(`document must be OpenAPI 3.0 or 3.1, got version ${describe(api?.openapi ?? api?.swagger)}`);
  }
  const flaw =
    (await flawOf(withoutSchemaReferences(api))) && (await flawOf(withoutAnswers(withoutSchemaReferences(api))));
  if (flaw !== undefined) throw new TypeError(`document is not valid OpenAPI: ${flaw}`);
  return operationsOf(api);
}

/** @param {string} document */
function parsed(document) {
  const text = document.replace(/^\ufeff/, '');
  if (!text.trimStart().startsWith('{')) return parsedYaml(text);
  // JSON is YAML, but its own parser is faster by far.
  try {
    return JSON.parse(text);
  } catch (error) {
    const api = yamlOrNone(text);
    if (api?.openapi === undefined) throw unreadable('JSON', error);
    return api;
  }
}

/**
 * @param {string} text
 * @returns {any} undefined for what is no YAML either
 */
function yamlOrNone(text) {
  try {
    return parsedYaml(text);
  } catch {
    return undefined;
  }
}

/** @param {string} text */
function parsedYaml(text) {
  const { parseYaml } = require('../../bundled/openapi');
  let value;
  try {
    value = parseYaml(text, { merge: true, maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw unreadable('YAML', error);
  }
  if (countOf(value) > MAX_VALUES) throw new TypeError(`document has more than ${MAX_VALUES} values`);
  return value;
}

/**
 * @param {string} form
 * @param {unknown} error of a parser: its class may be one that does not cross to another thread, and its text go on with lines
 */
function unreadable(form, error) {
  const [reason] = /** @type {Error} */ (error).message.split('\n');
  return new SyntaxError(`document cannot be read as ${form}: ${reason.replace(/:$/, '')}`);
}

/**
 * How many values there are in one, those that are there several times counted as often.
 *
 * @param {unknown} value
 * @param {Map<object, number>} [known]
 * @returns {number}
 */
function countOf(value, known = new Map()) {
  if (typeof value !== 'object' || value === null) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, 1);
  const count = Object.values(value).reduce((sum, inner) => sum + countOf(inner, known), 1);
  known.set(value, count);
  return count;
}

/**
 * What is wrong with a document, and where.
 *
 * @param {any} api is changed
 * @returns {Promise<string | undefined>}
 */
async function flawOf(api) {
  const { validateOpenApi } = require('../../bundled/openapi');
  // References lead nowhere outside of the document.
  const checked = await validateOpenApi(api, {
    resolve: { external: false },
    dereference: { circular: 'ignore' },
  }).catch((/** @type {any} */ error) => ({ valid: false, errors: [error] }));
  if (checked.valid !== false) return undefined;
  const [first] = checked.errors;
  const text = String(first?.message ?? first);
  // A line of the document as JSON that has been written for this.
  const line = /^> *(\d+) \|/m.exec(text)?.[1];
  return firstLine(text) + (line === undefined ? '' : ` at ${pointerTo(Number(line), api)}`);
}

/**
 * A JSON pointer to what begins in a line of a value as JSON that is indented.
 *
 * @param {number} line from 1
 * @param {any} value
 */
function pointerTo(line, value) {
  const linesOf = (/** @type {unknown} */ inner) => JSON.stringify(inner, undefined, 1)?.split('\n').length ?? 0;
  let pointer = '#';
  let before = line - 1;
  for (let at = value; before > 0;) {
    // That of the bracket.
    before--;
    const entry = Object.entries(at).find(([, inner]) => {
      const count = linesOf(inner);
      if (before < count) return true;
      before -= count;
      return false;
    });
    if (entry === undefined) break;
    pointer += `/${entry[0].replaceAll('~', '~0').replaceAll('/', '~1')}`;
    at = entry[1];
  }
  return pointer;
}

/**
 * A document without what its operations are found and called without: answers and examples.
 *
 * @param {any} api is changed
 */
function withoutAnswers(api) {
  const { paths, components } = api;
  const partsIn = (/** @type {any} */ value) => /** @type {any[]} */ (Object.values(value ?? {}).filter(isPlainObject));
  const items = partsIn(paths);
  const operations = items.flatMap((item) => partsIn(METHODS.map((method) => item[method])));
  const bodies = [...operations.map(({ requestBody }) => requestBody), ...partsIn(components?.requestBodies)];
  const parameters = [...items, ...operations, components ?? {}].flatMap((owner) => partsIn(owner.parameters));
  for (const part of [...parameters, ...bodies.flatMap((body) => partsIn(body?.content))]) {
    delete part.example;
    delete part.examples;
  }
  for (const operation of operations) {
    operation.responses = { default: { description: '' } };
    delete operation.callbacks;
  }
  for (const name of ['responses', 'examples', 'links', 'callbacks']) delete components?.[name];
  return api;
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
