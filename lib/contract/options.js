// @ts-check
'use strict';

const { describe, memberPath } = require('./describe');

const LANGUAGES = ['auto', 'javascript', 'typescript'];
const LEVELS = ['log', 'info', 'warn', 'error', 'debug'];

/**
 * Options of an executor, checked, with defaults (specification, section 3.3).
 *
 * @typedef {object} CheckedOptions
 * @property {number} maxOperations
 * @property {number} timeoutMs
 * @property {boolean} queue
 * @property {number} maxQueuedRuns
 * @property {string[]} authorizedImports
 * @property {number} maxLogBytes
 * @property {string[]} levels
 * @property {number} memoryLimitMb
 * @property {number} maxCodeBytes
 * @property {number} maxToolCalls
 * @property {number} maxConcurrentToolCalls
 * @property {number} maxTransferBytes
 * @property {number | undefined} maxCpuMs undefined: not limited
 * @property {number} maxParkedIsolates
 * @property {number | undefined} warmPool undefined: as many as before
 * @property {boolean} autoInit
 * @property {string} language
 * @property {unknown} modules checked by `modules.js`
 * @property {((entry: import('../../index').LogEntry) => void) | undefined} onLog
 */

const KNOWN_OPTIONS = [
  'maxOperations',
  'timeoutMs',
  'runConcurrency',
  'maxQueuedRuns',
  'authorizedImports',
  'maxLogBytes',
  'collectConsoleLevels',
  'memoryLimitMb',
  'maxCodeBytes',
  'maxToolCalls',
  'maxConcurrentToolCalls',
  'maxTransferBytes',
  'maxCpuMs',
  'maxParkedIsolates',
  'warmPool',
  'autoInit',
  'language',
  'modules',
  'onLog',
];

/** 256 MiB: what still fits into one string. */
const MAX_LOG_BYTES = 256 * (1 << 20);
/** 64 GiB. */
const MAX_MEMORY_MB = 65_536;
/** 1 GiB: positions in code and in values are 32-bit numbers. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;
const MAX_MS = 2 ** 31 - 1;

/**
 * @param {unknown} options
 * @returns {CheckedOptions}
 * @throws {TypeError} for wrong types and unknown names
 * @throws {RangeError} for wrong values
 */
function checkOptions(options) {
  const given = record(options, 'options', KNOWN_OPTIONS);
  return {
    // Any number: the specification wants one that is out of range as a diagnostic of the run.
    maxOperations: number(given, 'maxOperations', 50_000),
    timeoutMs: number(given, 'timeoutMs', 10_000),
    queue: oneOf(given, 'runConcurrency', ['reject', 'queue'], 'reject') === 'queue',
    maxQueuedRuns: integer(given, 'maxQueuedRuns', 0, 0, Number.MAX_SAFE_INTEGER),
    authorizedImports: strings(given, 'authorizedImports', []),
    maxLogBytes: integer(given, 'maxLogBytes', 262_144, 1024, MAX_LOG_BYTES),
    levels: strings(given, 'collectConsoleLevels', LEVELS, LEVELS),
    memoryLimitMb: integer(given, 'memoryLimitMb', 128, 8, MAX_MEMORY_MB),
    maxCodeBytes: integer(given, 'maxCodeBytes', 1 << 20, 1, MAX_BYTES),
    maxToolCalls: integer(given, 'maxToolCalls', 1_000, 0, MAX_COUNT),
    maxConcurrentToolCalls: integer(given, 'maxConcurrentToolCalls', 64, 1, MAX_COUNT),
    maxTransferBytes: integer(given, 'maxTransferBytes', 64 * (1 << 20), 1024, MAX_BYTES),
    maxCpuMs: given.maxCpuMs === undefined ? undefined : integer(given, 'maxCpuMs', 0, 1, MAX_MS),
    maxParkedIsolates: integer(given, 'maxParkedIsolates', 16, 1, MAX_COUNT),
    warmPool: given.warmPool === undefined ? undefined : integer(given, 'warmPool', 1, 0, 64),
    autoInit: ofType(given, 'autoInit', 'boolean', false),
    language: oneOf(given, 'language', LANGUAGES, 'auto'),
    modules: given.modules === undefined ? {} : given.modules,
    onLog: ofType(given, 'onLog', 'function', undefined),
  };
}

/**
 * Options of one run. Absent ones are `null`: those of the executor hold.
 *
 * @param {unknown} options
 * @returns {{
 *   maxOperations: number | null,
 *   timeoutMs: number | null,
 *   signal: AbortSignal | undefined,
 *   language: string | null,
 * }}
 * @throws {TypeError} for wrong types and unknown names
 * @throws {RangeError} for an unknown language
 */
function checkRunOptions(options) {
  const given = record(options, 'options', ['maxOperations', 'timeoutMs', 'signal', 'language']);
  const { signal } = given;
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new TypeError(`options.signal must be an AbortSignal, got ${describe(signal)}`);
  }
  return {
    maxOperations: number(given, 'maxOperations', null),
    timeoutMs: number(given, 'timeoutMs', null),
    signal,
    language: oneOf(given, 'language', LANGUAGES, null),
  };
}

/**
 * By what is used of it, since signals may come from another realm or a polyfill.
 *
 * @param {any} value
 * @returns {value is AbortSignal}
 */
function isAbortSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  );
}

/**
 * A copy of an object of options, so that each is read once.
 *
 * @param {unknown} options
 * @param {string} path
 * @param {string[]} known
 * @returns {Record<string, any>}
 */
function record(options, path, known) {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`${path} must be an object, got ${describe(options)}`);
  }
  const given = { .../** @type {Record<string, unknown>} */ (options) };
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const close = closest(name, known);
    const hint =
      close === undefined ? `the options are ${known.join(', ')}` : `did you mean ${memberPath(path, close)}?`;
    throw new TypeError(`${memberPath(path, name)} is not an option; ${hint}`);
  }
  return given;
}

/**
 * @template T
 * @param {Record<string, any>} given
 * @param {string} name
 * @param {T} fallback
 * @returns {number | T}
 */
function number(given, name, fallback) {
  return ofType(given, name, 'number', fallback);
}

/**
 * @param {Record<string, any>} given
 * @param {string} name
 * @param {'number' | 'boolean' | 'function'} type
 * @param {any} fallback
 */
function ofType(given, name, type, fallback) {
  const value = given[name];
  if (value === undefined) return fallback;
  if (typeof value !== type) throw new TypeError(`options.${name} must be a ${type}, got ${describe(value)}`);
  return value;
}

/**
 * @param {Record<string, any>} given
 * @param {string} name
 * @param {number} fallback
 * @param {number} min
 * @param {number} max
 */
function integer(given, name, fallback, min, max) {
  const value = number(given, name, fallback);
  const bound = value > max ? `an integer <= ${max}` : `an integer >= ${min}`;
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`options.${name} must be ${bound}, got ${describe(value)}`);
  }
  return value;
}

/**
 * @template T
 * @param {Record<string, any>} given
 * @param {string} name
 * @param {string[]} allowed
 * @param {T} fallback
 * @returns {string | T}
 */
function oneOf(given, name, allowed, fallback) {
  const value = given[name];
  if (value === undefined) return fallback;
  const expected = `options.${name} must be ${alternatives(allowed)}, got ${describe(value)}`;
  if (typeof value !== 'string') throw new TypeError(expected);
  if (!allowed.includes(value)) throw new RangeError(expected);
  return value;
}

/**
 * A list of non-empty strings, or of `allowed` ones.
 *
 * @param {Record<string, any>} given
 * @param {string} name
 * @param {string[]} fallback
 * @param {string[]} [allowed]
 */
function strings(given, name, fallback, allowed) {
  const value = given[name];
  if (value === undefined) return [...fallback];
  if (!Array.isArray(value)) throw new TypeError(`options.${name} must be an array, got ${describe(value)}`);
  const expected = allowed === undefined ? 'a non-empty string' : alternatives(allowed);
  return Array.from(value, (item, index) => {
    const message = `options.${name}[${index}] must be ${expected}, got ${describe(item)}`;
    if (typeof item !== 'string') throw new TypeError(message);
    if (allowed === undefined ? item === '' : !allowed.includes(item)) throw new RangeError(message);
    return item;
  });
}

/** @param {string[]} names */
function alternatives(names) {
  return names.map((name) => JSON.stringify(name)).join(' or ');
}

/**
 * The known name that is at most three edits away, if any.
 *
 * @param {string} name
 * @param {string[]} known
 */
function closest(name, known) {
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(name.slice(0, 64).toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  return ranked[0].edits <= 3 ? ranked[0].candidate : undefined;
}

/**
 * Levenshtein's distance.
 *
 * @param {string} from
 * @param {string} to
 */
function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}

module.exports = { checkOptions, checkRunOptions, record };
