// @ts-check
'use strict';

const { types } = require('node:util');

const { webClassHint, webClassOf } = require('./host-objects');
const { className, describe, memberPath } = require('../contract/describe');
const { keysOf } = require('../contract/wide-objects');

/** Parts of one value that are looked at: some 30 ms. The result only improves a message. */
const MAX_PARTS = 20_000;

/**
 * Says which part of `root` is the first that structured clone refuses, e.g. `result.items[3].callback (function) cannot be cloned`.
 * `undefined` if no single part is to blame, or none of the first ones.
 *
 * Runs after a clone has failed. Iterative, so that depth does not matter. Properties that are getters are called
 * once, and only if nothing else is found.
 *
 * @param {unknown} root
 * @param {string} rootPath
 * @param {(part: unknown) => void} clone throws for what cannot be cloned
 * @param {object} [culprit] an object that is known to be refused, whatever its parts are
 */
function findUncloneable(root, rootPath, clone, culprit) {
  /** @type {{ value: unknown, path: Path }[]} */
  const queue = [{ value: root, path: { parent: null, step: rootPath } }];
  /** @type {{ object: any, key: string, path: Path }[]} */
  const getters = [];
  const seen = new Set();
  let visits = 0;

  for (;;) {
    for (let at = 0; at < queue.length; at++) {
      if (++visits > MAX_PARTS) return undefined;
      const { value, path } = queue[at];
      if (isObject(value)) {
        if (seen.has(value)) continue;
        seen.add(value);
      }
      const kind = refusedKind(value);
      if (kind !== undefined) return refusal(path, kind);
      if (!isObject(value)) continue;
      const webClass = webClassOf(value);
      if (webClass !== undefined) return `${refusal(path, className(value))}${webClassHint(webClass)}`;
      const before = queue.length + getters.length;
      enqueueParts(value, path, queue, getters, MAX_PARTS - visits + 1);
      // Without parts it can be tried alone: that tells instances of the host's own classes.
      if (queue.length + getters.length === before && isRefused(value, clone)) {
        return refusal(path, className(value));
      }
      if (value === culprit) return refusal(path, 'object of the host');
    }
    queue.length = 0;
    const getter = getters.shift();
    if (getter === undefined) return undefined;
    try {
      queue.push({ value: getter.object[getter.key], path: getter.path });
    } catch {
      return refusal(getter.path, 'getter that throws');
    }
  }
}

/**
 * Where a part is: a chain towards the root, which becomes text only for the part that is reported.
 *
 * @typedef {{ parent: Path | null, step: string, isIndex?: boolean }} Path
 */

/**
 * @param {Path} path
 * @param {string} kind
 */
function refusal(path, kind) {
  return `${pathText(path)} (${kind}) cannot be cloned`;
}

/** @param {Path} path */
function pathText(path) {
  const steps = [];
  for (let at = /** @type {Path | null} */ (path); at !== null; at = at.parent) steps.push(at);
  let text = '';
  for (const { parent, step, isIndex } of steps.reverse()) {
    if (parent === null || isIndex) text += step;
    else text = memberPath(text, step);
  }
  return text;
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * What kind of thing `value` is, if no such thing can be cloned.
 *
 * @param {unknown} value
 */
function refusedKind(value) {
  if (typeof value === 'function') return 'function';
  if (typeof value === 'symbol') return 'symbol';
  if (!isObject(value)) return undefined;
  if (types.isProxy(value)) return 'Proxy';
  if (types.isPromise(value)) return 'Promise';
  if (types.isArgumentsObject(value)) return 'arguments object';
  if (types.isSharedArrayBuffer(value)) return 'SharedArrayBuffer';
  if (ArrayBuffer.isView(value) && types.isSharedArrayBuffer(value.buffer)) return 'view of a SharedArrayBuffer';
  if (types.isGeneratorObject(value)) return 'generator';
  if (types.isWeakMap(value) || types.isWeakSet(value)) return className(value);
  return undefined;
}

/**
 * @param {object} value
 * @param {Path} parent
 * @param {{ value: unknown, path: Path }[]} queue
 * @param {{ object: any, key: string, path: Path }[]} getters
 * @param {number} max parts that matter
 */
function enqueueParts(value, parent, queue, getters, max) {
  // Their elements are no properties that structured clone reads one by one.
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return;
  if (types.isMap(value)) {
    for (const [key, item] of Map.prototype.entries.call(value)) {
      if (max-- <= 0) return;
      queue.push({ value: key, path: { parent, step: `[key ${describe(key)}]`, isIndex: true } });
      queue.push({ value: item, path: { parent, step: `.get(${describe(key)})`, isIndex: true } });
    }
    return;
  }
  if (types.isSet(value)) {
    for (const item of Set.prototype.values.call(value)) {
      if (max-- <= 0) return;
      queue.push({ value: item, path: { parent, step: `[item ${describe(item)}]`, isIndex: true } });
    }
    return;
  }
  const isArray = Array.isArray(value);
  const keys = types.isNativeError(value) ? ['cause'] : isArray && value.length > max ? indicesTo(max) : keysOf(value);
  for (const key of keys) {
    if (max-- <= 0) return;
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined) continue;
    /** @type {Path} */
    const path = isArray && /^\d+$/.test(key) ? { parent, step: `[${key}]`, isIndex: true } : { parent, step: key };
    if (descriptor.get !== undefined) getters.push({ object: value, key, path });
    else queue.push({ value: descriptor.value, path });
  }
}

/**
 * The first indices of an array that is too long for all its keys to be listed.
 *
 * @param {number} count
 */
function* indicesTo(count) {
  for (let at = 0; at < count; at++) yield String(at);
}

/**
 * @param {unknown} value
 * @param {(part: unknown) => void} clone
 */
function isRefused(value, clone) {
  try {
    clone(value);
    return false;
  } catch {
    return true;
  }
}

module.exports = { findUncloneable };
