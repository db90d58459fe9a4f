// @ts-check
'use strict';

const { inspect, types } = require('node:util');

const { performance } = require('./clock');
const { cut, partsOf } = require('./cut');
const { isLongBigint } = require('./describe');
const { isWide } = require('./wide');

// How outputs are shown, as JSON and as text. Printers have no bounds: a value in which each part occurs twice in the next one has
// 2^40 parts after 40 rounds of a loop. So a value is looked through first, as far as a budget goes. One that is within it is
// printed as it is; of a larger one a copy that is cut.

/**
 * What a printer would go through.
 *
 * @typedef {object} Limits
 * @property {number} depth levels
 * @property {boolean} omitsDeeper whether the printer itself leaves out what is deeper
 * @property {number} items of one array, Map or Set
 * @property {number} chars UTF-16 units of one text
 */

/** @type {Limits} */
const AS_JSON = { depth: 500, omitsDeeper: false, items: Infinity, chars: Infinity };
/** With the options of `outputText`. @type {Limits} */
const AS_TEXT = { depth: 7, omitsDeeper: true, items: 100, chars: 10_000 };

/** Parts of a value that is printed as it is. One that occurs several times counts each time. */
const MAX_NODES = 100_000;
/** UTF-16 units of all its texts. */
const MAX_CHARS = 4 << 20;
/** To look through it takes far less than this, also on a busy machine. */
const MAX_MS = 2_000;
const NODES_PER_LOOK = 1_024;
/** A large integer counts as a text of so many. */
const BIGINT_CHARS = 1_024;
/** UTF-16 units of an error's texts: printers compare its stack with that of its cause, which takes the square of the lines. */
const MAX_ERROR_CHARS = 10_000;

/**
 * An output as JSON can hold it: `undefined` becomes `null`, and what has no form at all, such as a cycle, the text
 * that `util.inspect` gives. A large value is cut.
 *
 * @param {unknown} value
 * @returns {unknown} a value of its own
 */
function toJson(value) {
  if (typeof value === 'string') return value;
  const shown = isWithin(value, AS_JSON) ? value : cut(value);
  try {
    return JSON.parse(JSON.stringify(shown, jsonForm) ?? 'null');
  } catch {
    return outputText(value);
  }
}

/**
 * An output as people and models read it: a string as it is, anything else as Node.js prints it; nothing for
 * `undefined`. A large value is cut.
 *
 * @param {unknown} output
 * @param {import('node:util').InspectOptions} [options]
 */
function outputText(output, options) {
  if (output === undefined) return '';
  if (typeof output === 'string') return output;
  return inspect(isWithin(output, AS_TEXT) ? output : cut(output), { depth: 6, ...options });
}

/**
 * Whether `JSON.stringify` is done with a value in a moment.
 *
 * @param {unknown} value
 */
function isSmall(value) {
  return isWithin(value, AS_JSON);
}

/**
 * A replacer for `JSON.stringify`: what JSON has no form for gets the nearest one.
 *
 * @param {string} _key
 * @param {unknown} value
 */
function jsonForm(_key, value) {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(/** @type {any} */ (value));
  return value;
}

/**
 * Whether a printer is done with `root` in a moment. Iterative. What contains itself is not looked into again, and neither do
 * printers.
 *
 * @param {unknown} root
 * @param {Limits} limits
 */
function isWithin(root, { depth, omitsDeeper, items, chars }) {
  const end = performance.now() + MAX_MS;
  let nodesLeft = MAX_NODES;
  let charsLeft = MAX_CHARS;
  /** Values that are being looked into, outermost first, and the same for look-ups. */
  const open = [{ value: /** @type {unknown} */ (undefined), parts: [{ key: '', value: root }].values() }];
  const containing = new Set();
  try {
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const next = level.parts.next();
      if (next.done) {
        containing.delete(level.value);
        open.pop();
        continue;
      }
      const { key, value } = next.value;
      charsLeft -= key.length + charsOf(value, chars);
      if (--nodesLeft < 0 || charsLeft < 0 || isLong(value)) return false;
      if (nodesLeft % NODES_PER_LOOK === 0 && performance.now() > end) return false;
      if (typeof value !== 'object' || value === null || containing.has(value)) continue;
      if (containing.size < depth) {
        if (isWide(value)) return false;
        containing.add(value);
        open.push({ value, parts: partsOf(value, items) });
      } else if (!omitsDeeper) {
        return false;
      }
    }
  } catch {
    // A getter or a proxy of the host's own, which the printer deals with.
  }
  return true;
}

/**
 * @param {unknown} value
 * @param {number} limit for a text
 */
function charsOf(value, limit) {
  if (typeof value === 'string') return Math.min(value.length, limit);
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value ? BIGINT_CHARS : 0;
}

/**
 * Whether a value takes long to print though it has no parts.
 *
 * @param {unknown} value
 */
function isLong(value) {
  if (typeof value === 'bigint') return isLongBigint(value);
  if (types.isBigIntObject(value)) return isLongBigint(BigInt.prototype.valueOf.call(value));
  if (!types.isNativeError(value)) return false;
  const { name, message, stack } = value;
  return [name, message, stack].some((text) => typeof text === 'string' && text.length > MAX_ERROR_CHARS);
}

module.exports = { isSmall, jsonForm, outputText, toJson };
