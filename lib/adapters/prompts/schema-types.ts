import { isIdentifier } from '../../contract/identifiers';

/** JSON Schema, or an input of a smolagents tool, which is nearly one. */
export type Schema = Record<string, any>;

/** What is being written: the document that `$ref` points into, and how much may still be written. */
export interface TypeContext {
  root: unknown;
  /**
   * whether objects list their required properties, as JSON Schema does; else those without
   * `default` and `nullable` are required, as in smolagents
   */
  listed: boolean;
  /** schemas that are being written: a schema inside itself becomes `any` */
  open: Set<unknown>;
  /** schemas that may still be written: `$ref` can make a small document a huge type */
  left: number;
}

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

export function typeContext(root: unknown, listed: boolean): TypeContext {
  return { root, listed, open: new Set(), left: MAX_SCHEMAS };
}

/** A schema as a TypeScript type, in one line. It says what fits and no more: what it does not know is `any`. */
export function typeText(schema: unknown, context: TypeContext): string {
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
 * @returns undefined for what is left out, and for what is no object
 */
export function within<T>(schema: unknown, context: TypeContext, write: (resolved: Schema) => T): T | undefined {
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
 * @returns undefined for what is not in the document
 */
export function resolve(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let hops = 0; isSchema(found) && typeof found.$ref === 'string'; hops++) {
    if (hops === MAX_HOPS || !/^#(\/|$)/.test(found.$ref)) return undefined;
    found = found.$ref
      .split('/')
      .slice(1)
      .reduce((value: any, part: string) => member(value, part), root);
  }
  return found;
}

/** @param part of a JSON Pointer */
function member(value: any, part: string) {
  const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
}

function decode(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function bareType(schema: Schema, context: TypeContext): string {
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return union(schema.enum.map(literal));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)];
  const own = union(types.map((type) => namedType(type, schema, context)));
  const others = combinedTypes(schema, context);
  // Beside others a mere name says nothing.
  const isName = own === union(types.map((type) => namedType(type, {}, context)));
  return intersection(isName && others.length > 0 ? others : [own, ...others]);
}

/** The types of all that a schema combines. What only restricts, as `{ required: ['a'] }` does, is none. */
function combinedTypes({ anyOf, oneOf, allOf }: Schema, context: TypeContext) {
  const texts = (items: unknown) => list(items).map((item) => typeText(item, context));
  const alternatives = [texts(anyOf), texts(oneOf)].filter(({ length }) => length > 0);
  return [...alternatives.map(union), ...texts(allOf)].filter((text) => text !== 'any');
}

function impliedType(schema: Schema) {
  if (['properties', 'patternProperties', 'additionalProperties'].some((key) => isSchema(schema[key]))) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'any';
}

/**
 * The properties of an object, and of all that it combines, by name.
 *
 * @returns the first of each name
 */
export function allProperties(schema: unknown, root: unknown): Schema {
  const properties: Map<string, unknown> = new Map();
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

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function namedType(type: unknown, schema: Schema, context: TypeContext) {
  if (type === 'object' || type === 'dict') return objectType(schema, context);
  if (type === 'array' || type === 'list') return arrayType(schema, context);
  return typeof type === 'string' ? (TYPE_NAMES.get(type) ?? 'any') : 'any';
}

function objectType(schema: Schema, context: TypeContext) {
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

/** The type of members that are no properties; undefined if nothing is said of such. */
function otherMembers({ patternProperties, additionalProperties: others }: Schema, context: TypeContext) {
  const schemas = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  if (isOpen(others)) schemas.push(others);
  return schemas.length === 0 ? undefined : union(schemas.map((item) => typeText(item, context)));
}

/** @param value type of the values */
function recordType(value: string, { propertyNames, required }: Schema, context: TypeContext) {
  const keys = propertyNames === undefined ? 'string' : typeText(propertyNames, context);
  // Of texts, only those that are listed are types of their own.
  if (!keys.startsWith('"')) return `Record<string, ${value}>`;
  const record = `Record<${keys}, ${value}>`;
  return list(required).length === 0 ? `Partial<${record}>` : record;
}

/**
 * Whether something may be where no other keyword says what.
 *
 * @param others `additionalProperties`, `items`, `additionalItems`
 */
function isOpen(others: unknown) {
  return isSchema(others) || others === true;
}

/** Whether a property of an object must be there. */
export function isRequired(schema: Schema, name: string, context: TypeContext): boolean {
  if (Array.isArray(schema.required)) return schema.required.includes(name);
  const property = schema.properties[name];
  return !context.listed && !(isSchema(property) && (property.default !== undefined || property.nullable === true));
}

function arrayType(schema: Schema, context: TypeContext) {
  const { prefixItems, items, additionalItems } = schema;
  const tuple = prefixItems ?? items;
  if (!Array.isArray(tuple)) return listType(items === undefined ? 'any' : typeText(items, context));
  const parts = tuple.map((item) => typeText(item, context));
  const rest = Array.isArray(items) ? additionalItems : items;
  if (isOpen(rest)) parts.push(`...${listType(typeText(rest, context))}`);
  return `[${parts.join(', ')}]`;
}

/** @param item type of the items */
function listType(item: string) {
  return /^\w+(\[\])*$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function union(types: string[]) {
  const different = [...new Set(types)];
  return different.includes('any') ? 'any' : different.join(' | ');
}

function intersection(types: string[]) {
  const different = [...new Set(types)].filter((type) => type !== 'any');
  if (different.length === 0) return 'any';
  if (different.length === 1) return different[0];
  return different.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}

function literal(value: unknown) {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'any[]' : 'object';
  return JSON.stringify(value) ?? 'any';
}

function propertyName(name: string) {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/**
 * Whether a schema takes `null`; where that is not known, it does.
 *
 * @param known of schemas; `$ref` may lead back to them
 */
export function takesNull(schema: unknown, root: unknown, known: Map<unknown, boolean> = new Map()): boolean {
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

function allowsNull(schema: Schema, takes: (part: unknown) => boolean) {
  const { type, nullable, anyOf, oneOf, allOf } = schema;
  if (nullable === true) return true;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values) && !values.includes(null)) return false;
  const isOther = (name: unknown) => TYPE_NAMES.has(String(name)) && name !== 'null' && name !== 'any';
  if (type !== undefined && [type].flat().every(isOther)) return false;
  const alternatives = [anyOf, oneOf].map(list).filter(({ length }) => length > 0);
  return alternatives.every((items) => items.some(takes)) && list(allOf).every(takes);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
