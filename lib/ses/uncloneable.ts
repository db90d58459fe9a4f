import { types } from 'node:util';

import { webClassHint, webClassOf } from './host-objects';
import { className, describe, memberPath } from '../contract/describe';
import { keysOf } from '../contract/wide-objects';
import type { Foreign } from '../contract/foreign';

/** The number of parts of one value that are examined: about 30 ms. The result only improves a message. */
const MAX_PARTS = 20_000;

/**
 * Names the first part of `root` that structured clone refuses, such as `result.items[3].callback (function) cannot be
 * cloned`. Returns `undefined` if no single part is the cause, or none of the first parts.
 *
 * Runs after a clone has failed. Iterative, so that depth does not matter. Properties with getters are read once, and
 * only if no other part is the cause.
 *
 * @param clone throws for values that cannot be cloned
 * @param culprit an object that is known to be refused, regardless of its parts
 */
export function findUncloneable(root: unknown, rootPath: string, clone: (part: unknown) => void, culprit?: object) {
  const queue: { value: unknown; path: Path }[] = [{ value: root, path: { parent: null, step: rootPath } }];
  const getters: { object: Foreign; key: string; path: Path }[] = [];
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
      // A value without parts can be tried alone, which detects instances of the host's own classes.
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

/** The place of a part: a chain towards the root, which becomes text only for the reported part. */
export type Path = { parent: Path | null; step: string; isIndex?: boolean };

function refusal(path: Path, kind: string) {
  return `${pathText(path)} (${kind}) cannot be cloned`;
}

function pathText(path: Path) {
  const steps = [];
  for (let at = path as Path | null; at !== null; at = at.parent) steps.push(at);
  let text = '';
  for (const { parent, step, isIndex } of steps.reverse()) {
    if (parent === null || isIndex) text += step;
    else text = memberPath(text, step);
  }
  return text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The kind of `value`, if no value of that kind can be cloned. */
function refusedKind(value: unknown) {
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

/** @param max number of parts that matter */
function enqueueParts(
  value: object,
  parent: Path,
  queue: { value: unknown; path: Path }[],
  getters: { object: Foreign; key: string; path: Path }[],
  max: number,
) {
  // Structured clone does not read their elements one by one as properties.
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
    const path: Path =
      isArray && /^\d+$/.test(key) ? { parent, step: `[${key}]`, isIndex: true } : { parent, step: key };
    if (descriptor.get !== undefined) getters.push({ object: value, key, path });
    else queue.push({ value: descriptor.value, path });
  }
}

/** The first indices of an array that is too long to list all its keys. */
function* indicesTo(count: number) {
  for (let at = 0; at < count; at++) yield String(at);
}

function isRefused(value: unknown, clone: (part: unknown) => void) {
  try {
    clone(value);
    return false;
  } catch {
    return true;
  }
}
