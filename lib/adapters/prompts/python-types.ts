import { isSchema, list, within } from '../../catalog/schema-types';
import type { Foreign } from '../../contract/foreign';
import type { Schema, TypeContext } from '../../catalog/schema-types';

/** Python's names for the types of JSON Schema and smolagents. */
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

/** The annotation of an unknown type. */
const ANY = ['Any'];

/** Converts a schema to a Python type annotation. Unknown types and types that are nested too deeply are `Any`. */
export function annotation(schema: unknown, context: TypeContext): string {
  return alternatives(schema, context).join(' | ');
}

/** The types of an annotation. */
export function alternatives(schema: unknown, context: TypeContext): string[] {
  if (typeof schema === 'string') return [TYPE_NAMES.get(schema) ?? 'Any'];
  const types = within(schema, context, (resolved) => {
    const bare = bareTypes(resolved, context);
    return resolved.nullable === true ? union([bare, ['None']]) : bare;
  });
  return types ?? ANY;
}

function bareTypes(schema: Schema, context: TypeContext): string[] {
  const values = 'const' in schema ? [schema.const] : list(schema.enum);
  if (values.length > 0 && values.every(isLiteral)) return [`Literal[${values.map(pythonLiteral).join(', ')}]`];
  const inner = (part: unknown) => alternatives(part, context);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'any')];
  const own = union(types.map((type: unknown) => [namedType(type, schema, context)]));
  const combined = [schema.anyOf, schema.oneOf].map(list).map((items) => union(items.map(inner)));
  // Python cannot express an intersection of types.
  return [...combined, ...list(schema.allOf).map(inner), own].find(([type]) => type !== 'Any') ?? ANY;
}

function namedType(type: unknown, schema: Schema, context: TypeContext) {
  const name = TYPE_NAMES.get(String(type)) ?? 'Any';
  if (name === 'list' && isSchema(schema.items) && !Array.isArray(schema.prefixItems))
    return `list[${annotation(schema.items, context)}]`;
  const { additionalProperties: others, propertyNames } = schema;
  if (name !== 'dict' || !isSchema(others)) return name;
  const keys = isSchema(propertyNames) ? annotation(propertyNames, context) : 'str';
  return `dict[${keys.startsWith('Literal[') ? keys : 'str'}, ${annotation(others, context)}]`;
}

function union(types: string[][]) {
  const different = [...new Set(types.flat())];
  return different.includes('Any') || different.length === 0 ? ANY : different;
}

function isLiteral(value: unknown) {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Writes a JSON value as a Python literal.
 *
 * @returns undefined for a value that is not JSON
 */
export function pythonLiteral(value: Foreign): string | undefined {
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
