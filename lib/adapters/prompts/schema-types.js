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
  const text = within(schema, context, (resolved) => {
    const type = bareType(resolved, context);
    return resolved.nullable === true ? union([type, 'null']) : type;
  });
  return text ?? 'any';
}

/**
 * What is written of a schema, as long as it is not inside itself and not too deep, and not too much has been written.
 *
 * @template T
 * @param {unknown} schema
 * @param {TypeContext} context
 * @param {(resolved: Schema) => T} write
 * @returns {T | undefined} undefined for what is left out, and for what is no object
 */
function within(schema, context, write) {
  const resolved = resolve(schema, context.root);
  if (!isSchema(resolved) || context.open.has(resolved)) return undefined;
  if (context.left === 0 || context.open.size === MAX_DEPTH) return undefined;
  context.left--;
  context.open.add(resolved);
  const written = write(resolved);
  context.open.delete(resolved);
  return written;
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
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)];
  const own = union(types.map((type) => namedType(type, schema, context)));
  const others = combinedTypes(schema, context);
  // Beside others a mere name says nothing.
  const isName = own === union(types.map((type) => namedType(type, {}, context)));
  return intersection(isName && others.length > 0 ? others : [own, ...others]);
}

/**
 * The types of all that a schema combines. What only restricts, as `{ required: ['a'] }` does, is none.
 *
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function combinedTypes({ anyOf, oneOf, allOf }, context) {
  const texts = (/** @type {unknown} */ items) => list(items).map((item) => typeText(item, context));
  const alternatives = [texts(anyOf), texts(oneOf)].filter(({ length }) => length > 0);
  return [...alternatives.map(union), ...texts(allOf)].filter((text) => text !== 'any');
}

/** @param {Schema} schema */
function impliedType(schema) {
  if (['properties', 'patternProperties', 'additionalProperties'].some((key) => isSchema(schema[key]))) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'any';
}

/**
 * The properties of an object, and of all that it combines, by name.
 *
 * @param {unknown} schema
 * @param {unknown} root
 * @returns {Schema} the first of each name
 */
function allProperties(schema, root) {
  /** @type {Map<string, unknown>} */
  const properties = new Map();
  const schemas = new Set([resolve(schema, root)]);
  for (const item of schemas) {
    if (!isSchema(item)) continue;
    for (const [name, property] of Object.entries(Object(item.properties))) {
      if (!properties.has(name)) properties.set(name, property);
    }
    for (const part of [item.anyOf, item.oneOf, item.allOf].flatMap(list)) schemas.add(resolve(part, root));
  }
  return Object.fromEntries(properties);
}

/**
 * @param {unknown} value
 * @returns {unknown[]}
 */
function list(value) {
  return Array.isArray(value) ? value : [];
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
  const { properties } = schema;
  const more = otherMembers(schema, context);
  const names = isSchema(properties) ? Object.keys(properties) : [];
  if (names.length === 0) return more === undefined ? 'object' : recordType(more, schema, context);
  const members = names.map((name) => {
    const mark = isRequired(schema, name, context) ? '' : '?';
    return `${propertyName(name)}${mark}: ${typeText(properties[name], context)}`;
  });
  if (more !== undefined) members.push(`[other: string]: ${more}`);
  return `{ ${members.join(', ')} }`;
}

/**
 * The type of members that are no properties; undefined if nothing is said of such.
 *
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function otherMembers({ patternProperties, additionalProperties: others }, context) {
  const schemas = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  if (isOpen(others)) schemas.push(others);
  return schemas.length === 0 ? undefined : union(schemas.map((item) => typeText(item, context)));
}

/**
 * @param {string} value type of the values
 * @param {Schema} schema
 * @param {TypeContext} context
 */
function recordType(value, { propertyNames, required }, context) {
  const keys = propertyNames === undefined ? 'string' : typeText(propertyNames, context);
  // Of texts, only those that are listed are types of their own.
  if (!keys.startsWith('"')) return `Record<string, ${value}>`;
  const record = `Record<${keys}, ${value}>`;
  return list(required).length === 0 ? `Partial<${record}>` : record;
}

/**
 * Whether something may be where no other keyword says what.
 *
 * @param {unknown} others `additionalProperties`, `items`, `additionalItems`
 */
function isOpen(others) {
  return isSchema(others) || others === true;
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
  const { prefixItems, items, additionalItems } = schema;
  const tuple = prefixItems ?? items;
  if (!Array.isArray(tuple)) return listType(items === undefined ? 'any' : typeText(items, context));
  const parts = tuple.map((item) => typeText(item, context));
  const rest = Array.isArray(items) ? additionalItems : items;
  if (isOpen(rest)) parts.push(`...${listType(typeText(rest, context))}`);
  return `[${parts.join(', ')}]`;
}

/** @param {string} item type of the items */
function listType(item) {
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
 * Whether a schema takes `null`; where that is not known, it does.
 *
 * @param {unknown} schema
 * @param {unknown} root
 * @param {Map<unknown, boolean>} [known] of schemas; `$ref` may lead back to them
 * @returns {boolean}
 */
function takesNull(schema, root, known = new Map()) {
  const resolved = resolve(schema, root);
  if (!isSchema(resolved)) return resolved !== false;
  if (!known.has(resolved) && known.size < MAX_SCHEMAS) {
    known.set(resolved, true);
    known.set(
      resolved,
      allowsNull(resolved, (part) => takesNull(part, root, known)),
    );
  }
  return known.get(resolved) ?? true;
}

/**
 * @param {Schema} schema
 * @param {(part: unknown) => boolean} takes
 */
function allowsNull(schema, takes) {
  const { type, nullable, anyOf, oneOf, allOf } = schema;
  if (nullable === true) return true;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values) && !values.includes(null)) return false;
  const isOther = (/** @type {unknown} */ name) => TYPE_NAMES.has(String(name)) && name !== 'null' && name !== 'any';
  if (type !== undefined && [type].flat().every(isOther)) return false;
  const alternatives = [anyOf, oneOf].map(list).filter(({ length }) => length > 0);
  return alternatives.every((items) => items.some(takes)) && list(allOf).every(takes);
}

/**
 * @param {unknown} value
 * @returns {value is Schema}
 */
function isSchema(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = { allProperties, isRequired, isSchema, list, resolve, takesNull, typeContext, typeText, within };
