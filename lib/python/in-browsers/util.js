// @ts-check
'use strict';

// In a bundle for browsers, in place of `node:util`: what messages and checks of arguments ask.

/** @param {unknown} value */
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
/** @param {...string} tags */
const is =
  (...tags) =>
  (/** @type {unknown} */ value) =>
    typeof value === 'object' && tags.includes(tagOf(value));
/** @param {string} tag */
const isFunction = (tag) => (/** @type {unknown} */ value) => typeof value === 'function' && tagOf(value) === tag;

const types = {
  // Nobody can tell.
  isProxy: () => false,
  isPromise: is('Promise'),
  isAsyncFunction: isFunction('AsyncFunction'),
  isGeneratorFunction: (/** @type {unknown} */ value) =>
    isFunction('GeneratorFunction')(value) || isFunction('AsyncGeneratorFunction')(value),
  isNativeError: (/** @type {unknown} */ value) => value instanceof Error,
  isMap: is('Map'),
  isSet: is('Set'),
  isDate: is('Date'),
  isRegExp: is('RegExp'),
  isDataView: is('DataView'),
  isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'),
  isTypedArray: (/** @type {any} */ value) => ArrayBuffer.isView(value) && !types.isDataView(value),
  isBigIntObject: is('BigInt'),
  isBoxedPrimitive: is('String', 'Number', 'Boolean', 'BigInt', 'Symbol'),
};

/** @param {unknown} value */
function inspect(value) {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return tagOf(value);
  }
}

module.exports = { inspect, types };
