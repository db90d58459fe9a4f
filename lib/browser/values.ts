import { inspect, types } from 'node:util';

import { makeDecode } from './guest/decode';
import { makeEncode } from './guest/encode';
import { captureLanguage } from './guest/language';
import { BudgetError, WorkBudget, inSlices } from '../contract/budget';
import { isQuick, parsing } from '../contract/json';
import { outputText } from '../contract/render';
import { TransferLimitError, UncloneableError, describeThrown } from '../contract/errors';
import { isLongToList, longToListText, recordKeyed, recordPairs } from '../contract/wide-objects';
import { webClassOf } from '../ses/host-objects';
import { SlowValueError } from '../ses/slices';
import { findUncloneable } from '../ses/uncloneable';
import { hasOnlyElements } from '../ses/wire-writer';
import type { Foreign } from '../contract/foreign';
import type { RunScope } from '../contract/run-scope';
import type { DecodeOptions } from './guest/decode';
import type { Encoding } from './guest/encode';

const language = captureLanguage();
/** Only keys that are written. Listing others, too, takes twice as long. */
const { encode: encodeText, encoding } = makeEncode({ ...language, ownKeys: Object.keys });
const { put: define } = language;
/**
 * Same as `put` in pages. The prototypes on the host are unmodified, so that most properties can be assigned, which is
 * far faster.
 */
const put = (object: Foreign, key: PropertyKey, value: Foreign) => {
  if (typeof key === 'number' || !(key in object)) object[key] = value;
  else define(object, key, value);
};
const { decode: decodeText, decoding } = makeDecode({ ...language, put });

/** Maximum UTF-16 units of a regular expression from a page. Longer ones take too long to parse. */
const MAX_REGEXP = 1_000;
/** Syntax that Node.js may not support, or that takes long to parse. */
const UNUSUAL_REGEXP = /\\p\{|\(\?[ims-]|\(\?<[^=!][\s\S]*\(\?</i;
/** Strings up to this length are decoded immediately: 16 KiB. */
const MAX_SMALL_CHARS = 16 << 10;
/** Time limit for all slices of a value, as for values of isolates. It grows linearly with the memory of the value. */
const BASE_MS = 250;
const MS_PER_KIB = 0.1;
/** Maximum nodes in the description of a value that cannot be cloned: the value and one object. */
const MAX_LOOK_NODES = 2;
/** Approximate size of the smallest object on the host. */
const BYTES_PER_OBJECT = 64;
/** Maximum memory per UTF-16 unit of the serialized string: a digit and a comma are one array element. */
const BYTES_PER_CHAR = 8;
/** Memory for objects that every value may use: 1 MiB. */
const MIN_OBJECT_BYTES = 1 << 20;

/**
 * Serializes a value for a page.
 * @param path name of the value in messages
 * @param shown the value that messages show instead of `value`
 * @throws {UncloneableError | TransferLimitError}
 */
export function encode(value: unknown, path: string, maxChars: number, shown: unknown = value) {
  try {
    return encodeText(value, encodeOptions(path, maxChars));
  } catch (error) {
    throw asRefused(error, shown, path, maxChars);
  }
}

function encodeOptions(path: string, maxChars: number) {
  return { maxChars, path, hidesStacks: true, isOpaque, hasOnlyElements };
}

/** @param error that encoding has thrown */
function asRefused(error: unknown, shown: unknown, path: string, maxChars: number) {
  const refused = error as { isTooLarge?: boolean; isUncloneable?: boolean; isLongToList?: boolean };
  const { isTooLarge, isUncloneable } = refused;
  if (isTooLarge === true) return new TransferLimitError(tooLarge(path, maxChars));
  if (refused.isLongToList === true) return new UncloneableError(longToListText(path));
  const found = findUncloneable(shown, path, (part) => structuredClone(part));
  if (found !== undefined) return new UncloneableError(found, { cause: error });
  if (isUncloneable === true) return new UncloneableError(describeThrown(error).message);
  return new UncloneableError(`${path} cannot be cloned: ${describeThrown(error).message}`, { cause: error });
}

/** Work that is done in one slice: a few milliseconds at most. A part of an object is one step. */
const MAX_STEPS_AT_ONCE = 2_000;

/**
 * Serializes the result of a tool. The rest of a large one is serialized in slices.
 * @param scope within which it is needed; without one, nothing is sliced
 * @returns a promise for a large value
 * @throws {UncloneableError | TransferLimitError}
 */
function payloadOf(value: unknown, path: string, maxChars: number, scope?: RunScope): string | Promise<string> {
  const isPart = typeof value !== 'object' && typeof value !== 'string';
  if (isPart || scope === undefined) return encode(value, path, maxChars);
  try {
    const work = encoding(value, { ...encodeOptions(path, maxChars), isLongToList });
    let left = MAX_STEPS_AT_ONCE;
    if (work.goOn((steps) => (left -= steps) < 0)) return work.text();
    return encodeRest(work, value, path, maxChars, scope);
  } catch (error) {
    throw asRefused(error, value, path, maxChars);
  }
}

async function encodeRest(work: Encoding, value: unknown, path: string, maxChars: number, scope: RunScope) {
  const budget = new WorkBudget({ parts: Infinity, bytes: Infinity, ms: Infinity });
  try {
    return await inSlices(encodingRest(work, budget), budget, scope.signal);
  } catch (error) {
    throw scope.isOver ? error : asRefused(error, value, path, maxChars);
  }
}

function* encodingRest(work: Encoding, budget: WorkBudget) {
  const isSpent = (steps: number) => {
    budget.spend(steps);
    return budget.shouldPause;
  };
  while (!work.goOn(isSpent)) yield;
  return work.text();
}

/** Whether the properties of an object cannot be inspected. */
function isOpaque(object: object) {
  return types.isProxy(object) || webClassOf(object) !== undefined;
}

function tooLarge(path: string, maxChars: number) {
  return `the ${path} would take more than maxTransferBytes (${maxChars})`;
}

/** Options for decoding. */
export interface Options {
  /** of the serialized string; the decoded value may take four times as much memory */
  maxBytes: number;
  /** returns the part of an error's stack that is shown */
  stackOf: (stack: string) => string;
  /** whether the value is for printing: values that cannot be cloned look as they do in the page */
  isShown?: boolean;
}

/**
 * Decodes a value from a page whose serialized string is short, which takes at most a moment.
 * @param text at most `MAX_SMALL_CHARS` long
 * @throws {TransferLimitError} if it is too large
 * @throws {Error} if it is not a serialized value
 */
export function decodeSmall(text: string, options: Options): Foreign {
  if (text.length > options.maxBytes) throw new TransferLimitError(tooLarge('value', options.maxBytes));
  return decodeText(text, textOptions(options));
}

export function isSmall(text: string) {
  return text.length <= MAX_SMALL_CHARS;
}

/**
 * Decodes a value from a page in slices, between which the event loop runs.
 * @returns rejects with the errors of `decodeSmall`, with a `SlowValueError` if it takes far longer than other values
 * of the size, and with the signal's reason
 */
export async function decode(text: string, options: Options, signal?: AbortSignal): Promise<Foreign> {
  const { maxBytes } = options;
  if (text.length > maxBytes) throw new TransferLimitError(tooLarge('value', maxBytes));
  const objects = countObjects(text, Math.max(MIN_OBJECT_BYTES, 4 * maxBytes) / BYTES_PER_OBJECT);
  // Small objects take far more memory than their serialized string.
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

function* decodingAll(text: string, options: DecodeOptions, budget: WorkBudget) {
  const parts = yield* parsing(text, budget);
  const work = decoding(parts, options);
  const isSpent = (steps: number) => {
    budget.spend(steps);
    return budget.shouldPause;
  };
  while (!work.goOn(isSpent)) yield;
  return work.value();
}

/** Maximum number of objects in a serialized string; undefined if it exceeds `max`. */
function countObjects(text: string, max: number) {
  let count = 0;
  for (let at = text.indexOf('["'); at !== -1; at = text.indexOf('["', at + 2)) {
    if (++count > max) return undefined;
  }
  return count;
}

function textOptions({ stackOf, isShown = false }: Options): DecodeOptions {
  const options = { stackOf, regexpOf, onComplete };
  if (isShown) return { ...options, lookOf };
  // The description of a value that could not be cloned is serialized in the same format.
  const leafOf = ([kind, shown]: Foreign[]) => {
    if (kind !== 't' || !isQuick(shown) || JSON.parse(shown).length > MAX_LOOK_NODES)
      throw new TypeError('not a value');
    return outputText(decodeText(shown, { ...options, lookOf }));
  };
  return { ...options, lookOf: leafOf };
}

/** Records values with many keys: see `isLongToList`. */
function onComplete(value: Foreign, node: Foreign[], hasPairs: boolean) {
  if (node[0] === 'o') recordPairs(value, node, 1);
  if (node[0] === 'o' || !hasPairs) return;
  // Elements after a hole are pairs too.
  recordPairs(value, node, node.findIndex((part) => Array.isArray(part) && part[0] === 'p') + 1);
  // Indices come before other keys.
  if (!Number.isInteger(Number(node[node.length - 2]))) recordKeyed(value);
}

function regexpOf(source: string, flags: string) {
  const isUsual = source.length <= MAX_REGEXP && !flags.includes('v') && !UNUSUAL_REGEXP.test(source);
  if (!isUsual) return { source, flags };
  try {
    return new RegExp(source, flags);
  } catch {
    return { source, flags };
  }
}

/**
 * A stand-in that a printer shows like the original: a function or class of the same name, an instance of a class of
 * that name, or a string that is printed as it is.
 */
function lookOf(look: Foreign[]) {
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

/** @param kind as printers show it: `Function`, `AsyncFunction`, `class`, `class extends Map` */
function functionOf(name: string, kind: string) {
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

function named(fn: Function, name: unknown) {
  return Object.defineProperty(fn, 'name', { value: String(name), configurable: true });
}

/** The serialization of values, in the form that `answerToolCall` takes. */
export const wire = {
  kindOf: () => 0,
  payloadOf: (_kind: number, value: unknown, path: string, maxBytes: number, scope?: RunScope) =>
    payloadOf(value, path, maxBytes, scope),
};
