import { isSchema, resolve } from './schema-types';

/** Schemas that are visited. A schema with more of them is treated as one that declarations show incompletely. */
const MAX_SCHEMAS = 2_000;
/** Keywords whose values are schemas by name, lists of schemas, or schemas. */
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const SINGLE = ['items', 'additionalProperties', 'additionalItems', 'propertyNames'];

/**
 * Whether a short declaration says everything that a schema says: it has types in one line, and descriptions of
 * members. It repeats a type for each `$ref` to it, ends at recursive ones, and has no examples and no defaults of
 * inner members.
 */
export function isShownInShort(document: unknown): boolean {
  const references = new Set<string>();
  const open: { schema: unknown; depth: number }[] = [{ schema: document, depth: 0 }];
  for (const { schema, depth } of open) {
    if (!isSchema(schema)) continue;
    if (open.length > MAX_SCHEMAS) return false;
    if ('examples' in schema || 'example' in schema || ('default' in schema && depth > 1)) return false;
    if (typeof schema.$ref === 'string') {
      if (references.has(schema.$ref)) return false;
      references.add(schema.$ref);
      open.push({ schema: resolve({ $ref: schema.$ref }, document), depth });
    }
    for (const part of partsOf(schema)) open.push({ schema: part, depth: depth + 1 });
  }
  return true;
}

function partsOf(schema: Record<string, unknown>): unknown[] {
  const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const named = (value: unknown): unknown[] => (isSchema(value) ? Object.values(value) : []);
  return [
    ...BY_NAME.flatMap((keyword) => named(schema[keyword])),
    ...LISTS.flatMap((keyword) => listed(schema[keyword])),
    ...SINGLE.map((keyword) => schema[keyword]),
  ];
}
