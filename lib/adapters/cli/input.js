// @ts-check
'use strict';

const { isUtf8 } = require('node:buffer');
const { readFileSync, statSync } = require('node:fs');
const { resolve } = require('node:path');
const { Transform } = require('node:stream');
const { pathToFileURL } = require('node:url');

const { UsageError } = require('./usage-error');
const { className, describe, isPlainObject } = require('../../contract/describe');
const { isIdentifier } = require('../../contract/identifiers');

/**
 * The code in `file`, or in stdin if that is `-`.
 *
 * @param {string} file
 */
async function readCode(file) {
  if (file !== '-') return readText(file);
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return decode(Buffer.concat(chunks), 'the standard input');
}

/**
 * The language that the name of a file says, else either.
 *
 * @param {string} file
 * @returns {import('../../../index').Language | 'python'}
 */
function languageOf(file) {
  if (/\.py$/i.test(file)) return 'python';
  return /\.[cm]?ts$/i.test(file) ? 'typescript' : 'auto';
}

/** @param {string} file */
function readVariables(file) {
  let variables;
  try {
    variables = JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (!isPlainObject(variables)) throw new UsageError(`${file} must hold an object of variables`);
  return variables;
}

/**
 * The exports of the module in `file`, together with its default export: an object of tools, or a function, which is one by its
 * name.
 *
 * @param {string} file
 */
async function loadTools(file) {
  let loaded;
  try {
    loaded = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${/** @type {Error} */ (error).message}`);
  }
  const { default: defaults, ...named } = loaded;
  // What Node.js adds for CommonJS modules; its value is the default export.
  delete named['module.exports'];
  if (defaults === undefined) return named;
  if (isPlainObject(defaults)) return { ...named, ...defaults };
  if (typeof defaults === 'function' && defaults.name !== 'default' && isIdentifier(defaults.name)) {
    return { ...named, [defaults.name]: defaults };
  }
  const kind = typeof defaults === 'object' ? `an instance of ${className(defaults)}` : describe(defaults);
  const got = typeof defaults === 'function' ? 'a function without a name' : kind;
  throw new UsageError(
    `the default export of ${file} must be an object of tools, or a function with a name, got ${got}`,
  );
}

/** @param {string} file */
function readText(file) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
  return decode(bytes, file);
}

/**
 * A text without its byte order mark. What is no UTF-8 would run as something else.
 *
 * @param {Buffer} bytes
 * @param {string} source
 */
function decode(bytes, source) {
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  throw notUtf8(source);
}

/**
 * The text of a stream of bytes as it comes, without its byte order mark. What is no UTF-8 is an error of the stream.
 *
 * @param {NodeJS.ReadableStream} stream
 * @param {string} source
 */
function utf8Of(stream, source) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts = new Transform({
    decodeStrings: true,
    transform: (bytes, _encoding, done) => pass(done, () => decoder.decode(bytes, { stream: true })),
    flush: (done) => pass(done, () => decoder.decode()),
  });
  /**
   * @param {import('node:stream').TransformCallback} done
   * @param {() => string} decoded
   */
  const pass = (done, decoded) => {
    try {
      done(null, decoded());
    } catch {
      done(notUtf8(source));
    }
  };
  return stream.pipe(texts);
}

/** @param {string} source */
function notUtf8(source) {
  return new UsageError(`${source} is not UTF-8: save it in that encoding`);
}

/**
 * @param {string | undefined} root of the file tools
 * @param {boolean} readOnly
 */
function refuseNoFolder(root, readOnly) {
  if (root === undefined) {
    if (readOnly) throw new UsageError('--read-only needs --root');
  } else if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--root must be a folder, got ${JSON.stringify(root)}`);
  }
}

module.exports = { languageOf, loadTools, readCode, readText, readVariables, refuseNoFolder, utf8Of };
