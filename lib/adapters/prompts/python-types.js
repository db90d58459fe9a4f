// @ts-check
'use strict';

const { isSchema, resolve } = require('./schema-types');

/** Names of types, of JSON Schema and of smolagents, as Python calls them. */
const TYPE_NAMES = new Map([
  ['string', 'str'],
  ['boolean', 'bool'],
  ['number', 'float'],
  ['integer', 'int'],
  ['null', 'None'],
  ['any', 'Any'],
  ['image', 'Image'],
  ['audio', 'Audio'],
  ['object', 'dict'],
  ['dict', 'dict'],
  ['array', 'list'],
  ['list', 'list'],
]);

/** What lies deeper, or is in itself, is `Any`. */
const MAX_DEPTH = 12;

/**
 * A schema as a type annotation of Python. What it does not know is `Any`.
 *
 * @param {unknown} schema
 * @param {unknown} root the document that `$ref` points into
 * @param {number} [depth]
 * @returns {string}
 */
function annotation(schema, root, depth = 0) {
  if (typeof schema === 'string') return TYPE_NAMES.get(schema) ?? 'Any';
  const resolved = resolve(schema, root);
  if (!isSchema(resolved) || depth === MAX_DEPTH) return 'Any';
  const inner = (/** @type {unknown} */ part) => annotation(part, root, depth + 1);
  const text = bareType(resolved, inner);
  return resolved.nullable === true ? union([text, 'None']) : text;
}

/**
 * @param {import('./schema-types').Schema} schema
 * @param {(part: unknown) => string} inner
 */
function bareType(schema, inner) {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values) && values.every(isLiteral)) return `Literal[${values.map(pythonLiteral).join(', ')}]`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'any')];
  const own = union(types.map((/** @type {unknown} */ type) => namedType(type, schema, inner)));
  const alternatives = [schema.anyOf, schema.oneOf].filter(Array.isArray).map((items) => union(items.map(inner)));
  const parts = Array.isArray(schema.allOf) ? schema.allOf.map(inner) : [];
  // Python has no name for what fits all of them.
  return [...alternatives, ...parts, own].find((type) => type !== 'Any') ?? 'Any';
}

/**
 * @param {unknown} type
 * @param {import('./schema-types').Schema} schema
 * @param {(part: unknown) => string} inner
 */
function namedType(type, schema, inner) {
  const name = TYPE_NAMES.get(String(type)) ?? 'Any';
  if (name === 'list' && isSchema(schema.items) && !Array.isArray(schema.prefixItems))
    return `list[${inner(schema.items)}]`;
  const others = schema.additionalProperties;
  return name === 'dict' && isSchema(others) ? `dict[str, ${inner(others)}]` : name;
}

/** @param {string[]} types */
function union(types) {
  const different = [...new Set(types.flatMap((type) => type.split(' | ')))];
  return different.includes('Any') || different.length === 0 ? 'Any' : different.join(' | ');
}

/** @param {unknown} value */
function isLiteral(value) {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * JSON as Python writes it.
 *
 * @param {any} value
 * @returns {string | undefined} undefined for what is no JSON
 */
function pythonLiteral(value) {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (!isSchema(value)) return undefined;
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}: ${pythonLiteral(part)}`)
    .join(', ')}}`;
}

module.exports = { annotation, pythonLiteral };
