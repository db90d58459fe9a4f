import { randomUUID } from 'node:crypto';

import { describe, isPlainObject } from '../../contract/describe';
import type { Foreign } from '../../contract/foreign';

/** How a document specifies that a value is serialized. */
export interface Writing {
  name: string;
  style: string;
  explode: boolean;
  /** whether it is serialized as JSON, regardless of the style */
  isJson: boolean;
  /** whether reserved characters stay as they are */
  allowReserved: boolean;
}

/** The specification of a form field in a document. */
export interface Field {
  name: string;
  style: string;
  explode: boolean;
  allowReserved: boolean;
  /** whether the document sets style or explode, so that they are not defaults */
  isStyled: boolean;
  contentType: string | undefined;
  isFile: boolean;
}

/** Separators between the items of a value that is not exploded, for styles that do not use a comma. */
const BETWEEN = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
  // Only of Swagger 2.0.
  ['tabDelimited', '\t'],
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
  return /^application\/x-www-form-urlencoded\b/i.test(contentType) || isMultipart(contentType);
}

export function isMultipart(contentType: string) {
  return /^multipart\/form-data\b/i.test(contentType);
}

/** Encodes a string for a URL. Lone surrogates become U+FFFD. */
export function encodeText(text: string) {
  // The declarations of Node.js 20 lack it.
  return encodeURIComponent((text as Foreign).toWellFormed());
}

/**
 * The same, but keeps reserved characters of URLs and existing escapes. `&`, `+` and `#` are still encoded, because
 * they would end or change the value.
 */
function encodeReserved(text: string) {
  return encodeText(text)
    .replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent)
    .replace(/%25(?=[\da-f]{2})/gi, '%');
}

/** Encodes a string for the body of a form. */
function encodeForm(text: string) {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

type Encode = (text: string) => string;

/**
 * A value as pairs of name and string: one pair, or one per item or property if the value is exploded. `null` is left
 * out, with its name.
 *
 * @param encode applied to all strings that are not OpenAPI syntax, and to blanks between items
 */
export function pairsOf(
  { name, style, explode, isJson }: Writing,
  value: unknown,
  encode: Encode = (text) => text,
): [name: string, text: string][] {
  if (value === null || value === undefined) return [];
  const own = encode(name);
  if (isJson) return [[own, encode(jsonOf(value))]];
  const written = (inner: unknown) => encode(textOf(inner));
  if (style === 'deepObject') return deepPairs(name, value, encode);
  const between = (BETWEEN.get(style) ?? ',').replace(/\s/, encode);
  if (Array.isArray(value)) {
    const items = value.filter(isGiven);
    if (explode) return items.map((item) => [own, written(item)]);
    return items.length > 0 ? [[own, items.map(written).join(between)]] : [];
  }
  if (!isPlainObject(value)) return [[own, written(value)]];
  const entries = Object.entries(value)
    .filter(([, inner]) => isGiven(inner))
    .map(([key, inner]) => [encode(key), written(inner)]);
  if (explode) return entries as [string, string][];
  return entries.length > 0 ? [[own, entries.flat().join(between)]] : [];
}

function isGiven(value: unknown) {
  return value !== null && value !== undefined;
}

/** Serializes as `a[b][0]=c`. OpenAPI does not define deeper levels; this is the form that APIs commonly accept. */
function deepPairs(name: string, value: unknown, encode: Encode): [name: string, text: string][] {
  if (!isGiven(value)) return [];
  if (typeof value !== 'object' || value instanceof Uint8Array) return [[encode(name), encode(textOf(value))]];
  return Object.entries(value as object).flatMap(([key, inner]) => deepPairs(`${name}[${key}]`, inner, encode));
}

/** A value in a query: `name=value`, one or several of them. Delimiters between items are not encoded. */
export function queryOf(writing: Writing, value: unknown): string[] {
  const encode = writing.allowReserved ? encodeReserved : encodeText;
  return pairsOf(writing, value, encode).map(([name, text]) => `${name}=${text}`);
}

/** A value as one string, for a path or a header. */
export function expanded(writing: Writing, value: unknown, encode?: Encode) {
  const { style, explode, isJson } = writing;
  const { first, between } = EXPANSIONS.get(style) ?? SIMPLE;
  const isMatrix = style === 'matrix';
  const isNamed = isMatrix || (explode && !isJson && isPlainObject(value));
  const parts = pairsOf(writing, value, encode).map(([name, text]) => {
    if (!isNamed) return text;
    return isMatrix && text === '' ? name : `${name}=${text}`;
  });
  return parts.length === 0 ? '' : first + parts.join(between);
}

/** JSON, with bytes in base64 and BigInts as integers with all their digits. */
export function jsonOf(value: unknown): string {
  const mark = `${randomUUID()}:`;
  let hasIntegers = false;
  const text = JSON.stringify(value, (_, inner) => {
    if (inner instanceof Uint8Array) return base64(inner);
    if (typeof inner !== 'bigint') return inner;
    hasIntegers = true;
    return `${mark}${inner}`;
  });
  return hasIntegers ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text;
}

export interface Body {
  contentType: string;
  content: string | Uint8Array;
}

/** An object as the body of a form. */
export function formOf(contentType: string, fields: Field[], value: Record<string, unknown>): Body {
  if (isMultipart(contentType)) return multipart(fields, value);
  const pairs = Object.entries(value).flatMap(([name, inner]) => {
    const { isStyled, contentType: type, ...field } = fieldOf(fields, name);
    const isJson = !isStyled && (isPlainObject(inner) || isJsonType(type));
    if (isStyled && field.allowReserved) return queryOf({ ...field, isJson }, inner);
    return pairsOf({ ...field, isJson }, inner, encodeForm).map((pair) => pair.join('='));
  });
  return { contentType, content: pairs.join('&') };
}

/** One part for each field, and one for each item of an array field. */
function multipart(fields: Field[], value: Record<string, unknown>): Body {
  const boundary = randomUUID();
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const field = fieldOf(fields, name);
    const items = Array.isArray(inner) && !isJsonType(field.contentType) ? inner : [inner];
    return items.filter(isGiven).flatMap((item) => [`--${boundary}\r\n`, ...partOf(field, item), '\r\n']);
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: joined([...parts, `--${boundary}--\r\n`]),
  };
}

/** @returns a string, unless a part is bytes */
function joined(parts: (string | Uint8Array)[]) {
  const isText = parts.every((part) => typeof part === 'string');
  return isText ? parts.join('') : new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))));
}

/** Head and content of a part. */
function partOf({ name, contentType, isFile }: Field, given: unknown): (string | Uint8Array)[] {
  const file = fileOf(given, isFile);
  const value = file === undefined ? given : file.content;
  const isBytes = value instanceof Uint8Array;
  const hasFile = file !== undefined || isFile || isBytes;
  const usual = hasFile ? 'application/octet-stream' : typeof value === 'object' ? 'application/json' : undefined;
  const type = file?.contentType ?? contentType ?? usual;
  const lines = [
    `Content-Disposition: form-data; name="${quoted(name)}"${hasFile ? `; filename="${quoted(file?.filename ?? name)}"` : ''}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    '\r\n',
  ];
  return [lines.join('\r\n'), isBytes ? value : isJsonType(type) && file === undefined ? jsonOf(value) : textOf(value)];
}

interface File {
  content: string | Uint8Array;
  filename: string | undefined;
  contentType: string | undefined;
}

/** A file with its name and type, if the value is one. */
function fileOf(value: unknown, isFile: boolean): File | undefined {
  if (!isFile || !isPlainObject(value)) return undefined;
  const { content, filename, contentType } = value;
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    throw new TypeError(`content of a file must be bytes or a string, got ${describe(content)}`);
  }
  if (contentType !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]+)?$/.test(String(contentType))) {
    throw new TypeError(`contentType of a file must be a media type, got ${describe(contentType)}`);
  }
  return {
    content,
    filename: filename === undefined ? undefined : String(filename),
    contentType: contentType === undefined ? undefined : String(contentType),
  };
}

function fieldOf(fields: Field[], name: string): Field {
  const known = fields.find((field) => field.name === name);
  if (known !== undefined) return known;
  return {
    name,
    style: 'form',
    explode: true,
    allowReserved: false,
    isStyled: false,
    contentType: undefined,
    isFile: false,
  };
}

/** @param name to escape, as browsers do in the headers of a part */
function quoted(name: string) {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}

function textOf(value: unknown) {
  if (value instanceof Uint8Array) return base64(value);
  return typeof value === 'object' ? jsonOf(value) : String(value);
}

function base64(bytes: Uint8Array) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
