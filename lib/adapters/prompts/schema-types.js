// @ts-check
'use strict';

const { isIdentifier } = require('../../contract/identifiers');

/**
 * JSON Schema, or an input of a smolagents tool, which is nearly one.
 *
 * @typedef {Record<string, any>} Schema
 */

/**
 * What is being written: the document that `$ref` points into, and how much may still be written.
 *
 * @typedef {object} TypeContext
 * @property {unknown} root
 * @property {boolean} listed whether objects list their required properties, as JSON Schema does; else those without
 * `default` and `nullable` are required, as in smolagents
 * @property {Set<unknown>} open schemas that are being written: a schema inside itself becomes `any`
 * @property {number} left schemas that may still be written: `$ref` can make a small document a huge type
 */

/** Types of one signature; what lies deeper, or comes later, is `any`. */
const MAX_SCHEMAS = 500;
const MAX_DEPTH = 12;
/** Steps from `$ref` to `$ref` until a schema that is none. */
const MAX_HOPS = 32;

/** Names of types, of JSON Schema and of smolagents, as JavaScript calls them. */
const TYPE_NAMES = new Map([
  ['string', 'string'],
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['integer', 'number'],
  ['null', 'null'],
  ['any', 'any'],
  ['image', 'image'],
  ['audio', 'audio'],
  ['object', 'object'],
  ['dict', 'object'],
  ['array', 'any[]'],
  ['list', 'any[]'],
]);

/**
 * @param {unknown} root
 * @param {boolean} listed
 * @returns {TypeContext}
 */
function typeContext(root, listed) {
  return { root, listed, open: new Set(), left: MAX_SCHEMAS };
}

/**
 * A schema as a TypeScript type, in one line. It says what fits and no more: what it does not know is `any`.
 *
 * @param {unknown} schema
 * @param {TypeContext} context
 * @returns {string}
 */
function typeText(schema, context) {
  if (schema === false) return 'never';
  if (typeof schema === 'string') return TYPE_NAMES.get(schema) ?? 'any';
  const resolved = resolve(schema, context.root);
  if (!isSchema(resolved) || context.open.has(resolved)) return 'any';
  if (context.left === 0 || context.open.size === MAX_DEPTH) return 'any';
  context.left--;
  context.open.add(resolved);
  const text = bareType(resolved, context);
  context.open.delete(resolved);
  return resolved.nullable === true ? union([text, 'null']) : text;
}

/**
 * The schema that `schema` stands for: what its `$ref` points to in the document, if it has one.
 *
 * @param {unknown} schema
 * @param {unknown} root
 * @returns {unknown} undefined for what is not in the document
 */
function resolve(schema, root) {
  let found = schema;
  for (let hops = 0; isSchema(found) && typeof found.$ref === 'string'; hops++) {
    if (hops === MAX_HOPS || !/^#(\/|$)/.test(found.$ref)) return undefined;
    found = found.$ref
      .split('/')
      .slice(1)
      .reduce((/** @type {any} */ value, /** @type {string} */ part) => member(value, part), root);
  }
  return found;
}

/**
 * @param {any} value
 * @param {string} part of a JSON Pointer
 */
function member(value, part) {
  const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {Schema} schema
 * @param {TypeContext} context
 * @returns {string}
 */
function bareType(schema, context) {
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return union(schema.enum.map(literal));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    const text = union(alternatives.map((item) => typeText(item, context)));
    // Alternatives that only restrict, as `{ required: ['a'] }` does, say less than the type beside them.
    if (text !== 'any' || schema.type === undefined) return text;
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0) {
    const own = schema.properties === undefined ? [] : [{ ...schema, allOf: undefined }];
    return intersection([...own, ...schema.allOf].map((item) => typeText(item, context)));
  }
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => namedType(type, schema, context)));
  return namedType(schema.type ?? impliedType(schema), schema, context);
}

/** @param {Schema} schema */
function impliedType(schema) {
  if (isSchema(schema.properties) || isSchema(schema.additionalProperties)) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'any';
}

/**
 * @param {unknown} type
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function namedType(type, schema, context) {
  if (type === 'object' || type === 'dict') return objectType(schema, context);
  if (type === 'array' || type === 'list') return arrayType(schema, context);
  return typeof type === 'string' ? (TYPE_NAMES.get(type) ?? 'any') : 'any';
}

/**
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function objectType(schema, context) {
  const { properties, additionalProperties: others } = schema;
  const more = isSchema(others) ? typeText(others, context) : undefined;
  const names = isSchema(properties) ? Object.keys(properties) : [];
  if (names.length === 0) return more === undefined ? 'object' : `Record<string, ${more}>`;
  const members = names.map((name) => {
    const mark = isRequired(schema, name, context) ? '' : '?';
    return `${propertyName(name)}${mark}: ${typeText(properties[name], context)}`;
  });
  if (more !== undefined) members.push(`[other: string]: ${more}`);
  return `{ ${members.join(', ')} }`;
}

/**
 * Whether a property of an object must be there.
 *
 * @param {Schema} schema
 * @param {string} name
 * @param {TypeContext} context
 * @returns {boolean}
 */
function isRequired(schema, name, context) {
  if (Array.isArray(schema.required)) return schema.required.includes(name);
  const property = schema.properties[name];
  return !context.listed && !(isSchema(property) && (property.default !== undefined || property.nullable === true));
}

/**
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function arrayType(schema, context) {
  const tuple = schema.prefixItems ?? schema.items;
  if (Array.isArray(tuple)) return `[${tuple.map((item) => typeText(item, context)).join(', ')}]`;
  const item = schema.items === undefined ? 'any' : typeText(schema.items, context);
  return /^\w+(\[\])*$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

/** @param {string[]} types */
function union(types) {
  const different = [...new Set(types)];
  return different.includes('any') ? 'any' : different.join(' | ');
}

/** @param {string[]} types */
function intersection(types) {
  const different = [...new Set(types)].filter((type) => type !== 'any');
  if (different.length === 0) return 'any';
  if (different.length === 1) return different[0];
  return different.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}

/** @param {unknown} value */
function literal(value) {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'any[]' : 'object';
  return JSON.stringify(value) ?? 'any';
}

/** @param {string} name */
function propertyName(name) {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/**
 * @param {unknown} value
 * @returns {value is Schema}
 */
function isSchema(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = { isRequired, isSchema, resolve, typeContext, typeText };
