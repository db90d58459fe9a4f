// @ts-check
'use strict';

const { isSchema, list, within } = require('./schema-types');

/** @typedef {import('./schema-types').TypeContext} TypeContext */

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

/** What is not known. */
const ANY = ['Any'];

/**
 * A schema as a type annotation of Python. What it does not know, or is too deep, is `Any`.
 *
 * @param {unknown} schema
 * @param {TypeContext} context
 * @returns {string}
 */
function annotation(schema, context) {
  return alternatives(schema, context).join(' | ');
}

/**
 * The types of an annotation.
 *
 * @param {unknown} schema
 * @param {TypeContext} context
 * @returns {string[]}
 */
function alternatives(schema, context) {
  if (typeof schema === 'string') return [TYPE_NAMES.get(schema) ?? 'Any'];
  const types = within(schema, context, (resolved) => {
    const bare = bareTypes(resolved, context);
    return resolved.nullable === true ? union([bare, ['None']]) : bare;
  });
  return types ?? ANY;
}

/**
 * @param {import('./schema-types').Schema} schema
 * @param {TypeContext} context
 * @returns {string[]}
 */
function bareTypes(schema, context) {
  const values = 'const' in schema ? [schema.const] : list(schema.enum);
  if (values.length > 0 && values.every(isLiteral)) return [`Literal[${values.map(pythonLiteral).join(', ')}]`];
  const inner = (/** @type {unknown} */ part) => alternatives(part, context);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'any')];
  const own = union(types.map((/** @type {unknown} */ type) => [namedType(type, schema, context)]));
  const combined = [schema.anyOf, schema.oneOf].map(list).map((items) => union(items.map(inner)));
  // Python has no name for what fits all of them.
  return [...combined, ...list(schema.allOf).map(inner), own].find(([type]) => type !== 'Any') ?? ANY;
}

/**
 * @param {unknown} type
 * @param {import('./schema-types').Schema} schema
 * @param {TypeContext} context
 */
function namedType(type, schema, context) {
  const name = TYPE_NAMES.get(String(type)) ?? 'Any';
  if (name === 'list' && isSchema(schema.items) && !Array.isArray(schema.prefixItems))
    return `list[${annotation(schema.items, context)}]`;
  const { additionalProperties: others, propertyNames } = schema;
  if (name !== 'dict' || !isSchema(others)) return name;
  const keys = isSchema(propertyNames) ? annotation(propertyNames, context) : 'str';
  return `dict[${keys.startsWith('Literal[') ? keys : 'str'}, ${annotation(others, context)}]`;
}

/** @param {string[][]} types */
function union(types) {
  const different = [...new Set(types.flat())];
  return different.includes('Any') || different.length === 0 ? ANY : different;
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

module.exports = { alternatives, annotation, pythonLiteral };
