// @ts-check
'use strict';

const { inspect, types } = require('node:util');

const { makeDecode } = require('./guest/decode');
const { makeEncode } = require('./guest/encode');
const { captureLanguage } = require('./guest/language');
const { outputText } = require('../contract/render');
const { TransferLimitError, UncloneableError, describeThrown } = require('../contract/errors');
const { webClassOf } = require('../ses/host-objects');
const { findUncloneable } = require('../ses/uncloneable');

const language = captureLanguage();
const encodeText = makeEncode(language);
const decodeText = makeDecode(language);

/** UTF-16 units of a regular expression from a page; longer ones take more than a moment to parse. */
const MAX_REGEXP = 1_000;
/** What Node.js may not know, or takes long for. */
const UNUSUAL_REGEXP = /\\p\{|\(\?[ims-]|\(\?<[^=!][\s\S]*\(\?</i;
/** What the smallest object takes here, about. */
const BYTES_PER_OBJECT = 64;
/** Memory for objects that any value may take: 1 MiB. */
const MIN_OBJECT_BYTES = 1 << 20;

/**
 * A value for a page.
 *
 * @param {unknown} value
 * @param {string} path how messages call it
 * @param {number} maxChars
 * @param {unknown} [shown] what messages see in place of `value`
 * @throws {UncloneableError | TransferLimitError}
 */
function encode(value, path, maxChars, shown = value) {
  try {
    return encodeText(value, { maxChars, path, hidesStacks: true, isOpaque });
  } catch (error) {
    if (/** @type {any} */ (error).isTooLarge === true) throw new TransferLimitError(tooLarge(path, maxChars));
    const found = findUncloneable(shown, path, (part) => structuredClone(part));
    const why = /** @type {any} */ (error).isUncloneable === true ? found : undefined;
    const message = why ?? found;
    if (message !== undefined) throw new UncloneableError(message, { cause: error });
    if (/** @type {any} */ (error).isUncloneable === true) throw new UncloneableError(describeThrown(error).message);
    throw new UncloneableError(`${path} cannot be cloned: ${describeThrown(error).message}`, { cause: error });
  }
}

/**
 * Whether nothing can be known of what an object is made of.
 *
 * @param {object} object
 */
function isOpaque(object) {
  return types.isProxy(object) || webClassOf(object) !== undefined;
}

/**
 * @param {string} path
 * @param {number} maxChars
 */
function tooLarge(path, maxChars) {
  return `the ${path} would take more than maxTransferBytes (${maxChars})`;
}

/**
 * A value that a page gives.
 *
 * @param {string} text
 * @param {object} options
 * @param {number} options.maxBytes of the text; the value may take four times that here
 * @param {(stack: string) => string} options.stackOf what is shown of the stack of an error
 * @param {boolean} [options.isShown] whether it is for printers: what cannot cross looks as it does in the page
 * @throws {TransferLimitError} if it is too large
 * @throws {Error} if it is none
 */
function decode(text, { maxBytes, stackOf, isShown = false }) {
  if (text.length > maxBytes) throw new TransferLimitError(tooLarge('value', maxBytes));
  let bytes = 0;
  // Small objects take far more memory than text.
  for (let at = text.indexOf('["'); at !== -1; at = text.indexOf('["', at + 2)) {
    bytes += BYTES_PER_OBJECT;
    if (bytes > MIN_OBJECT_BYTES && bytes > 4 * maxBytes) throw new TransferLimitError(tooLarge('value', maxBytes));
  }
  const options = { stackOf, regexpOf };
  if (isShown) return decodeText(text, { ...options, lookOf });
  // What could not be cloned has its look with it, as a text of the same kind.
  const leafOf = (/** @type {any[]} */ [kind, shown]) => {
    if (kind !== 't') throw new TypeError('not a value');
    return outputText(decodeText(shown, { ...options, lookOf }));
  };
  return decodeText(text, { ...options, lookOf: leafOf });
}

/**
 * @param {string} source
 * @param {string} flags
 */
function regexpOf(source, flags) {
  const isUsual = source.length <= MAX_REGEXP && !flags.includes('v') && !UNUSUAL_REGEXP.test(source);
  if (!isUsual) return { source, flags };
  try {
    return new RegExp(source, flags);
  } catch {
    return { source, flags };
  }
}

/**
 * What a printer takes for a thing that cannot cross: a function or class of that name, an instance of a class of that name, a
 * text that it prints as it is.
 *
 * @param {any[]} look
 */
function lookOf(look) {
  const [kind, name] = look;
  switch (kind) {
    case 'f':
      return functionOf(String(name), String(look[2]));
    case 'c':
      return name === null ? Object.create(null) : Object.create(named(class {}, name).prototype);
    default:
      return { [inspect.custom]: () => String(name) };
  }
}

/**
 * @param {string} name
 * @param {string} kind as printers have it: `Function`, `AsyncFunction`, `class`, `class extends Map`
 */
function functionOf(name, kind) {
  if (kind === 'Function') return named(() => {}, name);
  const [head, ...parent] = kind.split(' ');
  const text =
    head === 'class'
      ? [`class ${name || '(anonymous)'}`, ...parent].join(' ')
      : `${kind}${name && ':'} ${name || '(anonymous)'}`;
  return Object.assign(
    named(() => {}, name),
    { [inspect.custom]: () => `[${text}]` },
  );
}

/**
 * @param {Function} fn
 * @param {unknown} name
 */
function named(fn, name) {
  return Object.defineProperty(fn, 'name', { value: String(name), configurable: true });
}

/** How values cross, as `answerToolCall` takes it. */
const wire = {
  kindOf: () => 0,
  /**
   * @param {number} _kind
   * @param {unknown} value
   * @param {string} path
   * @param {number} maxBytes
   */
  payloadOf: (_kind, value, path, maxBytes) => encode(value, path, maxBytes),
};

module.exports = { decode, encode, wire };
