// @ts-check
'use strict';

const { randomUUID } = require('node:crypto');

const { isPlainObject } = require('../../contract/describe');

/**
 * How a document says that a value is written.
 *
 * @typedef {object} Writing
 * @property {string} name
 * @property {string} style
 * @property {boolean} explode
 * @property {boolean} isJson whether it is written as JSON, whatever the style
 *
 * @typedef {object} Field what a document says of a field of a form
 * @property {string} name
 * @property {string} style
 * @property {boolean} explode
 * @property {boolean} isStyled whether style and explode are the document's, not defaults
 * @property {string | undefined} contentType
 * @property {boolean} isFile
 */

/** What is between the items of a value that is not exploded, where that is no comma. */
const BETWEEN = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** How values in paths and headers begin, and what is between their parts. */
const SIMPLE = { first: '', between: ',' };
const EXPANSIONS = new Map([
  ['simple', SIMPLE],
  ['label', { first: '.', between: '.' }],
  ['matrix', { first: ';', between: ';' }],
]);

/** @param {string | undefined} contentType */
function isJsonType(contentType) {
  return /[/+]json\s*(?:;|$)/i.test(contentType ?? '');
}

/** @param {string} contentType */
function isForm(contentType) {
  return contentType.startsWith('application/x-www-form-urlencoded') || isMultipart(contentType);
}

/** @param {string} contentType */
function isMultipart(contentType) {
  return contentType.startsWith('multipart/form-data');
}

/**
 * A value as names and texts: one, or one per item or property if it is exploded.
 *
 * @param {Writing} writing
 * @param {unknown} value
 * @param {(text: string) => string} [encode] what is not OpenAPI's own
 * @returns {[name: string, text: string][]}
 */
function pairsOf({ name, style, explode, isJson }, value, encode = (text) => text) {
  const own = encode(name);
  if (isJson) return [[own, encode(JSON.stringify(value))]];
  const written = (/** @type {unknown} */ inner) => encode(textOf(inner));
  if (style === 'deepObject') return deepPairs(own, value, encode);
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [own, written(item)]);
    return [[own, value.map(written).join(BETWEEN.get(style) ?? ',')]];
  }
  if (!isPlainObject(value)) return [[own, written(value)]];
  const entries = Object.entries(value).map(([key, inner]) => [encode(key), written(inner)]);
  if (explode) return /** @type {[string, string][]} */ (entries);
  return [[own, entries.flat().join(BETWEEN.get(style) ?? ',')]];
}

/**
 * `a[b][0]=c`: what OpenAPI leaves open for what is further inside, as the APIs that use it read it.
 *
 * @param {string} name
 * @param {unknown} value
 * @param {(text: string) => string} encode
 * @returns {[name: string, text: string][]}
 */
function deepPairs(name, value, encode) {
  if (typeof value !== 'object' || value === null) return [[name, encode(textOf(value))]];
  return Object.entries(value).flatMap(([key, inner]) => deepPairs(`${name}[${encode(key)}]`, inner, encode));
}

/**
 * A value as one text, for a path or a header.
 *
 * @param {Writing} writing
 * @param {unknown} value
 * @param {(text: string) => string} [encode]
 */
function expanded(writing, value, encode) {
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

/**
 * An object as the body of a form.
 *
 * @param {string} contentType
 * @param {Field[]} fields
 * @param {Record<string, unknown>} value
 * @returns {{ contentType: string, text: string }}
 */
function formOf(contentType, fields, value) {
  if (isMultipart(contentType)) return multipart(fields, value);
  const pairs = Object.entries(value).flatMap(([name, inner]) => {
    const { style, explode, isStyled, contentType: type } = fieldOf(fields, name);
    return pairsOf({ name, style, explode, isJson: !isStyled && (isPlainObject(inner) || isJsonType(type)) }, inner);
  });
  return { contentType, text: new URLSearchParams(pairs).toString() };
}

/**
 * A part for each field, and for each item of one that is an array.
 *
 * @param {Field[]} fields
 * @param {Record<string, unknown>} value
 */
function multipart(fields, value) {
  const boundary = randomUUID();
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const field = fieldOf(fields, name);
    const items = Array.isArray(inner) && !isJsonType(field.contentType) ? inner : [inner];
    return items.map((item) => `--${boundary}\r\n${partOf(field, item)}\r\n`);
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` };
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function partOf({ name, contentType, isFile }, value) {
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

/**
 * @param {Field[]} fields
 * @param {string} name
 * @returns {Field}
 */
function fieldOf(fields, name) {
  const known = fields.find((field) => field.name === name);
  return known ?? { name, style: 'form', explode: true, isStyled: false, contentType: undefined, isFile: false };
}

/** @param {string} name as browsers write it in the head of a part */
function quoted(name) {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

module.exports = { expanded, formOf, isForm, isJsonType, pairsOf };
