import { singleLine } from './single-line';
import { isSchema, list, literal } from './schema-types';
import type { Schema } from './schema-types';

const MAX_DESCRIPTION = 500;
const MAX_VALUE = 200;
const MAX_EXAMPLES = 3;
/** Alternatives whose descriptions are shown. */
const MAX_ALTERNATIVES = 20;

/** What a schema says about a value that its type does not say, in lines: description, bounds, default, examples. */
export function docLines(schema: unknown): string[] {
  if (!isSchema(schema)) return [];
  const { items, additionalProperties } = schema;
  const about = [singleLine(schema.description, MAX_DESCRIPTION), factsText(schema)].filter((text) => text !== '');
  return [
    ...(about.length === 0 ? [] : [about.join(' ')]),
    ...alternativeLines(schema),
    ...partLines('Items', items),
    ...partLines('Values', additionalProperties),
    ...(schema.deprecated === true ? ['@deprecated'] : []),
    ...('default' in schema ? valueLines('@default', [schema.default]) : []),
    ...valueLines('@example', [...list(schema.examples), ...('example' in schema ? [schema.example] : [])]),
  ];
}

/** A block comment that its content cannot end. */
export function docComment(lines: readonly string[]): string[] {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  if (safe.length === 0) return [];
  if (safe.length === 1) return [`/** ${safe[0]} */`];
  return ['/**', ...safe.map((line) => ` * ${line}`.trimEnd()), ' */'];
}

/** Rules that types cannot express. */
function factsText({ type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, ...others }: Schema) {
  const { minLength, maxLength, minItems, maxItems, multipleOf, uniqueItems } = others;
  const facts = [
    type === 'integer' ? 'integer' : undefined,
    typeof format === 'string' ? `format ${singleLine(format, MAX_VALUE)}` : undefined,
    boundText('>=', minimum),
    boundText('<=', maximum),
    boundText('>', exclusiveMinimum),
    boundText('<', exclusiveMaximum),
    boundText('multiple of', multipleOf),
    rangeText('characters', minLength, maxLength),
    rangeText('items', minItems, maxItems),
    uniqueItems === true ? 'no duplicate items' : undefined,
    typeof pattern === 'string' ? `matches /${singleLine(pattern, MAX_VALUE)}/` : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? '' : `(${facts.join(', ')})`;
}

function boundText(relation: string, bound: unknown) {
  return typeof bound === 'number' ? `${relation} ${bound}` : undefined;
}

function rangeText(unit: string, min: unknown, max: unknown) {
  const bounds = [boundText('>=', min), boundText('<=', max)].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : `${bounds.join(' and ')} ${unit}`;
}

/** Descriptions of single values, which schemas write as alternatives. */
function alternativeLines({ anyOf, oneOf }: Schema) {
  return [...list(anyOf), ...list(oneOf)].slice(0, MAX_ALTERNATIVES).flatMap((part) => {
    if (!isSchema(part) || !('const' in part)) return [];
    const text = singleLine(part.description ?? part.title, MAX_VALUE);
    return text === '' ? [] : [`${singleLine(literal(part.const), MAX_VALUE)}: ${text}`];
  });
}

/** What a schema says about the parts of a value, if a type has no place for it. */
function partLines(noun: string, part: unknown) {
  if (!isSchema(part) || typeof part.$ref === 'string') return [];
  const [first] = docLines({ ...part, items: undefined, additionalProperties: undefined });
  return first === undefined || first.startsWith('@') ? [] : [`${noun}: ${first}`];
}

function valueLines(tag: string, values: readonly unknown[]) {
  return values.slice(0, MAX_EXAMPLES).flatMap((value) => {
    const text = jsonOf(value);
    return text === undefined ? [] : [`${tag} ${singleLine(text, MAX_VALUE)}`];
  });
}

/** @returns undefined for a value that is not JSON */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
