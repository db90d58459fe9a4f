import { isIdentifier } from '../contract/identifiers';
import type { Foreign } from '../contract/foreign';

/** JSON Schema, or an input of a smolagents tool, which is almost JSON Schema. */
export type Schema = Record<string, Foreign>;

/** The state of a conversion: the document that `$ref` points into, and the remaining budget. */
export interface TypeContext {
  root: unknown;
  /**
   * Whether objects list their required properties, as in JSON Schema. Otherwise properties without `default` and
   * `nullable` are required, as in smolagents.
   */
  listed: boolean;
  /** The schemas that are being converted. A recursive schema becomes `any`. */
  open: Set<unknown>;
  /** The number of schemas that may still be converted: `$ref` can turn a small document into a huge type. */
  left: number;
  /** How types are written. Absent: in one line, with the target of a `$ref` in its place. */
  style?: TypeStyle;
}

/** A way to write types. */
export interface TypeStyle {
  /** Returns the name of the type that a `$ref` points to. A `$ref` without a name is replaced by its target. */
  nameOf: (reference: string, root: unknown) => string | undefined;
  /** Writes an object type. `more` is the type of its other members, if the schema describes them. */
  object: (members: ObjectMember[], more: string | undefined) => string;
  /** Writes a list of literal types. */
  literals: (values: unknown[]) => string[];
}

/** A member of an object type. */
export interface ObjectMember {
  /** The name as the type writes it. */
  name: string;
  isOptional: boolean;
  type: string;
  schema: unknown;
}

/** Limits on the types of one signature. Types that are deeper or come later are `any`. */
const MAX_SCHEMAS = 500;
const MAX_DEPTH = 12;
/** Maximum number of consecutive `$ref` steps before a schema that has no `$ref`. */
const MAX_HOPS = 32;

/** JavaScript's names for the types of JSON Schema and smolagents. */
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

/** Converts a schema to a TypeScript type. Unknown types are `any`. */
export function typeText(schema: unknown, context: TypeContext): string {
  if (schema === false) return 'never';
  if (typeof schema === 'string') return TYPE_NAMES.get(schema) ?? 'any';
  const named = namedReference(schema, context);
  if (named !== undefined) return named;
  const text = within(schema, context, (resolved) => {
    const type = bareType(resolved, context);
    return resolved.nullable === true ? union([type, 'null']) : type;
  });
  return text ?? 'any';
}

/** The type of a `$ref` that has a name, with the keywords next to the `$ref`. */
function namedReference(schema: unknown, context: TypeContext): string | undefined {
  if (context.style === undefined || !isSchema(schema) || typeof schema.$ref !== 'string') return undefined;
  const { $ref, nullable, ...others } = schema;
  const name = context.left === 0 ? undefined : context.style.nameOf($ref, context.root);
  if (name === undefined) return undefined;
  context.left--;
  const type = intersection([name, typeText(others, context)]);
  return nullable === true ? union([type, 'null']) : type;
}

/**
 * Calls `write` for a schema that is not recursive and not nested too deeply, as long as the budget lasts.
 *
 * @returns undefined for a schema that is left out or is not an object
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
 * Resolves a schema: if it has a `$ref`, returns the target of the `$ref` in the document.
 *
 * @returns undefined for a target that is not in the document
 */
export function resolve(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let hops = 0; isSchema(found) && typeof found.$ref === 'string'; hops++) {
    if (hops === MAX_HOPS || !/^#(\/|$)/.test(found.$ref)) return undefined;
    found = found.$ref
      .split('/')
      .slice(1)
      .reduce((value: Foreign, part: string) => member(value, part), root);
  }
  return found;
}

/** @param part one part of a JSON Pointer */
function member(value: Foreign, part: string) {
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
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return union(context.style?.literals(schema.enum) ?? schema.enum.map(literal));
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)];
  const own = union(types.map((type) => namedType(type, schema, context)));
  const others = combinedTypes(schema, context);
  // A bare type name adds no information if there are other types.
  const isName = own === union(types.map((type) => namedType(type, {}, context)));
  return intersection(isName && others.length > 0 ? others : [own, ...others]);
}

/**
 * The types of all schemas that a schema combines. Schemas that only restrict, such as `{ required: ['a'] }`, have
 * none.
 */
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
 * The properties of an object and of all schemas that it combines, by name.
 *
 * @returns the first property of each name
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
  const isRequired = requirementsOf(schema, context);
  const members = names.map((name) => ({
    name: propertyName(name),
    isOptional: !isRequired(name),
    type: typeText(properties[name], context),
    schema: properties[name],
  }));
  if (context.style !== undefined) return context.style.object(members, more);
  const texts = members.map(({ name, isOptional, type }) => `${name}${isOptional ? '?' : ''}: ${type}`);
  if (more !== undefined) texts.push(`[other: string]: ${more}`);
  return `{ ${texts.join(', ')} }`;
}

/** The type of additional members. Undefined if the schema does not describe them. */
function otherMembers({ patternProperties, additionalProperties: others }: Schema, context: TypeContext) {
  const schemas = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  if (isOpen(others)) schemas.push(others);
  return schemas.length === 0 ? undefined : union(schemas.map((item) => typeText(item, context)));
}

/** @param value type of the values */
function recordType(value: string, { propertyNames, required }: Schema, context: TypeContext) {
  const keys = propertyNames === undefined ? 'string' : typeText(propertyNames, context);
  // Of all string types, only enumerated strings are literal types.
  if (!keys.startsWith('"')) return `Record<string, ${value}>`;
  const record = `Record<${keys}, ${value}>`;
  return list(required).length === 0 ? `Partial<${record}>` : record;
}

/**
 * Whether any value is allowed where no other keyword applies.
 *
 * @param others `additionalProperties`, `items`, `additionalItems`
 */
function isOpen(others: unknown) {
  return isSchema(others) || others === true;
}

/** Returns a function that tells whether a property of an object is required. */
export function requirementsOf({ required, properties }: Schema, context: TypeContext): (name: string) => boolean {
  if (Array.isArray(required)) {
    const names = new Set(required);
    return (name) => names.has(name);
  }
  return (name) => {
    const property = properties[name];
    return !context.listed && !(isSchema(property) && (property.default !== undefined || property.nullable === true));
  };
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

/** The type of a value that an enumeration or a `const` names. */
export function literal(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'any[]' : 'object';
  return JSON.stringify(value) ?? 'any';
}

function propertyName(name: string) {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/**
 * Whether a schema accepts `null`. The answer is yes if it is unknown.
 *
 * @param known results by schema, because `$ref` may lead back to a schema
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
