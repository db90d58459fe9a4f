// @ts-check
'use strict';

const { inspect, types } = require('node:util');

const { makeDecode } = require('./guest/decode');
const { makeEncode } = require('./guest/encode');
const { captureLanguage } = require('./guest/language');
const { BudgetError, WorkBudget, inSlices } = require('../contract/budget');
const { isQuick, parsing } = require('../contract/json');
const { outputText } = require('../contract/render');
const { TransferLimitError, UncloneableError, describeThrown } = require('../contract/errors');
const { webClassOf } = require('../ses/host-objects');
const { SlowValueError } = require('../ses/slices');
const { findUncloneable } = require('../ses/uncloneable');

const language = captureLanguage();
const encodeText = makeEncode(language);
const { put: define } = language;
/** As `put` of pages. Nobody has changed the prototypes here, so that most properties can be assigned, which is far faster. */
const put = (/** @type {any} */ object, /** @type {PropertyKey} */ key, /** @type {any} */ value) => {
  if (typeof key === 'number' || !(key in object)) object[key] = value;
  else define(object, key, value);
};
const { decode: decodeText, decoding } = makeDecode({ ...language, put });

/** UTF-16 units of a regular expression from a page; longer ones take more than a moment to parse. */
const MAX_REGEXP = 1_000;
/** What Node.js may not know, or takes long for. */
const UNUSUAL_REGEXP = /\\p\{|\(\?[ims-]|\(\?<[^=!][\s\S]*\(\?</i;
/** Texts up to this length are decoded immediately: 16 KiB. */
const MAX_SMALL_CHARS = 16 << 10;
/** Time that all slices of a value may take, as for values of isolates: linear in the memory that it takes. */
const BASE_MS = 250;
const MS_PER_KIB = 0.1;
/** Nodes of the look of one thing that cannot be cloned: the value and an object. */
const MAX_LOOK_NODES = 2;
/** What the smallest object takes here, about. */
const BYTES_PER_OBJECT = 64;
/** Memory of what a UTF-16 unit of the text stands for, at most: a digit and a comma are an element of an array. */
const BYTES_PER_CHAR = 8;
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
 * What decoding needs to know.
 *
 * @typedef {object} Options
 * @property {number} maxBytes of the text; the value may take four times that here
 * @property {(stack: string) => string} stackOf what is shown of the stack of an error
 * @property {boolean} [isShown] whether it is for printers: what cannot cross looks as it does in the page
 */

/**
 * A value that a page gives, if its text is short. To decode it takes no more than a moment.
 *
 * @param {string} text at most `MAX_SMALL_CHARS` long
 * @param {Options} options
 * @returns {any}
 * @throws {TransferLimitError} if it is too large
 * @throws {Error} if it is none
 */
function decodeSmall(text, options) {
  if (text.length > options.maxBytes) throw new TransferLimitError(tooLarge('value', options.maxBytes));
  return decodeText(text, textOptions(options));
}

/** @param {string} text */
function isSmall(text) {
  return text.length <= MAX_SMALL_CHARS;
}

/**
 * A value that a page gives, decoded in slices between which the event loop turns.
 *
 * @param {string} text
 * @param {Options} options
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} rejects as `decodeSmall` throws, with a `SlowValueError` if it takes far longer than other values of
 * the size, and with the signal's reason
 */
async function decode(text, options, signal) {
  const { maxBytes } = options;
  if (text.length > maxBytes) throw new TransferLimitError(tooLarge('value', maxBytes));
  const objects = countObjects(text, Math.max(MIN_OBJECT_BYTES, 4 * maxBytes) / BYTES_PER_OBJECT);
  // Small objects take far more memory than text.
  if (objects === undefined) throw new TransferLimitError(tooLarge('value', maxBytes));
  const ms = BASE_MS + ((text.length * BYTES_PER_CHAR + objects * BYTES_PER_OBJECT) / 1024) * MS_PER_KIB;
  const budget = new WorkBudget({ parts: Infinity, bytes: Infinity, ms });
  try {
    return await inSlices(decodingAll(text, textOptions(options), budget), budget, signal);
  } catch (error) {
    if (error instanceof BudgetError) throw new SlowValueError('the value takes too long to read');
    throw error;
  }
}

/**
 * @param {string} text
 * @param {import('./guest/decode').DecodeOptions} options
 * @param {WorkBudget} budget
 */
function* decodingAll(text, options, budget) {
  const parts = yield* parsing(text, budget);
  const work = decoding(parts, options);
  const isSpent = (/** @type {number} */ steps) => {
    budget.spend(steps);
    return budget.shouldPause;
  };
  while (!work.goOn(isSpent)) yield;
  return work.value();
}

/**
 * How many objects a text has at most; undefined: more than `max`.
 *
 * @param {string} text
 * @param {number} max
 */
function countObjects(text, max) {
  let count = 0;
  for (let at = text.indexOf('["'); at !== -1; at = text.indexOf('["', at + 2)) {
    if (++count > max) return undefined;
  }
  return count;
}

/**
 * @param {Options} options
 * @returns {import('./guest/decode').DecodeOptions}
 */
function textOptions({ stackOf, isShown = false }) {
  const options = { stackOf, regexpOf };
  if (isShown) return { ...options, lookOf };
  // What could not be cloned has its look with it, as a text of the same kind.
  const leafOf = (/** @type {any[]} */ [kind, shown]) => {
    if (kind !== 't' || !isQuick(shown) || JSON.parse(shown).length > MAX_LOOK_NODES)
      throw new TypeError('not a value');
    return outputText(decodeText(shown, { ...options, lookOf }));
  };
  return { ...options, lookOf: leafOf };
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

module.exports = { decode, decodeSmall, encode, isSmall, wire };
