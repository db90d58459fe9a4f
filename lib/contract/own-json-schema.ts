import type { Foreign } from './foreign';

export type JsonSchema = Record<string, Foreign>;

/** @returns true also for functions, which some libraries use as schemas */
export function isStandardSchema(value: Foreign): boolean {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && typeof value['~standard'] === 'object' && value['~standard'] !== null;
}

/** The conversion of a schema to JSON Schema, for schemas that can do so themselves. Needs no package. */
export function ownConverter(schema: Foreign, side: 'input' | 'output'): (() => JsonSchema) | undefined {
  const { jsonSchema } = schema['~standard'];
  if (typeof jsonSchema?.[side] === 'function') return () => jsonSchema[side]({ target: 'draft-07' });
  return typeof schema.toJsonSchema === 'function' ? () => schema.toJsonSchema() : undefined;
}
