import { randomUUID } from 'node:crypto';

import { isPlainObject } from '../../contract/describe';

/** How a document specifies that a value is serialized. */
export interface Writing {
  name: string;
  style: string;
  explode: boolean;
  /** whether it is serialized as JSON, regardless of the style */
  isJson: boolean;
}

/** The specification of a form field in a document. */
export interface Field {
  name: string;
  style: string;
  explode: boolean;
  /** whether the document sets style or explode, so that they are not defaults */
  isStyled: boolean;
  contentType: string | undefined;
  isFile: boolean;
}

/** Separators between the items of a value that is not exploded, for styles that do not use a comma. */
const BETWEEN = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** Prefix and separator of values in paths and headers. */
const SIMPLE = { first: '', between: ',' };
const EXPANSIONS = new Map([
  ['simple', SIMPLE],
  ['label', { first: '.', between: '.' }],
  ['matrix', { first: ';', between: ';' }],
]);

export function isJsonType(contentType: string | undefined) {
  return /[/+]json\s*(?:;|$)/i.test(contentType ?? '');
}

export function isForm(contentType: string) {
  return contentType.startsWith('application/x-www-form-urlencoded') || isMultipart(contentType);
}

function isMultipart(contentType: string) {
  return contentType.startsWith('multipart/form-data');
}

/**
 * A value as pairs of name and string: one pair, or one per item or property if the value is exploded.
 *
 * @param encode applied to all strings that are not OpenAPI syntax
 */
export function pairsOf(
  { name, style, explode, isJson }: Writing,
  value: unknown,
  encode: (text: string) => string = (text) => text,
): [name: string, text: string][] {
  const own = encode(name);
  if (isJson) return [[own, encode(JSON.stringify(value))]];
  const written = (inner: unknown) => encode(textOf(inner));
  if (style === 'deepObject') return deepPairs(own, value, encode);
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [own, written(item)]);
    return [[own, value.map(written).join(BETWEEN.get(style) ?? ',')]];
  }
  if (!isPlainObject(value)) return [[own, written(value)]];
  const entries = Object.entries(value).map(([key, inner]) => [encode(key), written(inner)]);
  if (explode) return entries as [string, string][];
  return [[own, entries.flat().join(BETWEEN.get(style) ?? ',')]];
}

/** Serializes as `a[b][0]=c`. OpenAPI does not define deeper levels; this is the form that APIs commonly accept. */
function deepPairs(name: string, value: unknown, encode: (text: string) => string): [name: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [[name, encode(textOf(value))]];
  return Object.entries(value).flatMap(([key, inner]) => deepPairs(`${name}[${encode(key)}]`, inner, encode));
}

/** A value as one string, for a path or a header. */
export function expanded(writing: Writing, value: unknown, encode?: (text: string) => string) {
  const { style, explode, isJson } = writing;
  const { first, between } = EXPANSIONS.get(style) ?? SIMPLE;
  const isMatrix = style === 'matrix';
  const isNamed = isMatrix || (explode && !isJson && isPlainObject(value));
  const parts = pairsOf(writing, value, encode).map(([name, text]) => {
    if (!isNamed) return text;
    return isMatrix && text === '' ? name : `${name}=${text}`;
  });
  return first + parts.join(between);
}

/** An object as the body of a form. */
export function formOf(
  contentType: string,
  fields: Field[],
  value: Record<string, unknown>,
): { contentType: string; text: string } {
  if (isMultipart(contentType)) return multipart(fields, value);
  const pairs = Object.entries(value).flatMap(([name, inner]) => {
    const { style, explode, isStyled, contentType: type } = fieldOf(fields, name);
    return pairsOf({ name, style, explode, isJson: !isStyled && (isPlainObject(inner) || isJsonType(type)) }, inner);
  });
  return { contentType, text: new URLSearchParams(pairs).toString() };
}

/** One part for each field, and one for each item of an array field. */
function multipart(fields: Field[], value: Record<string, unknown>) {
  const boundary = randomUUID();
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const field = fieldOf(fields, name);
    const items = Array.isArray(inner) && !isJsonType(field.contentType) ? inner : [inner];
    return items.map((item) => `--${boundary}\r\n${partOf(field, item)}\r\n`);
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` };
}

function partOf({ name, contentType, isFile }: Field, value: unknown) {
  const usual = isFile ? 'application/octet-stream' : typeof value === 'object' ? 'application/json' : undefined;
  const type = contentType ?? usual;
  const lines = [
    `Content-Disposition: form-data; name="${quoted(name)}"${isFile ? `; filename="${quoted(name)}"` : ''}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    '',
    isJsonType(type) ? JSON.stringify(value) : textOf(value),
  ];
  return lines.join('\r\n');
}

function fieldOf(fields: Field[], name: string): Field {
  const known = fields.find((field) => field.name === name);
  return known ?? { name, style: 'form', explode: true, isStyled: false, contentType: undefined, isFile: false };
}

/** @param name to escape, as browsers do in the headers of a part */
function quoted(name: string) {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}

function textOf(value: unknown) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
