import { availableParallelism } from 'node:os';

import { describe, isPlainObject, memberPath } from '../contract/describe';
import { safeListener } from '../contract/logs';
import { checkSignal, checkSome, record } from '../contract/options';
import { dashboardState, isStandardSchema } from './state';

const MAX_MS = 2 ** 31 - 1;
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 1_000_000;

/** Numeric options: default, minimum and maximum. */
const NUMBERS = {
  poolSize: [4, 0, 1_000],
  executionTimeoutMs: [30_000, 1, MAX_MS],
  memoryLimitMb: [64, 16, 65_536],
  maxSdkCalls: [50, 0, MAX_COUNT],
  maxConcurrent: [availableParallelism() * 4, 1, 10_000],
  maxQueued: [256, 0, MAX_COUNT],
  maxOperations: [Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER],
  maxParamsBytes: [65_536, 2, MAX_BYTES],
  maxTransferBytes: [16 * (1 << 20), 1024, MAX_BYTES],
  maxLogBytes: [65_536, 1024, 256 * (1 << 20)],
  maxCodeBytes: [262_144, 1, MAX_BYTES],
} as Record<string, [number, number, number]>;

/** Options for where isolates live, as for executors. */
const PLACE = ['isolation', 'sandbox'];

const KNOWN_OPTIONS = [
  'registry',
  'adapters',
  'stateSchema',
  'rateLimits',
  'context',
  'onReport',
  ...PLACE,
  ...Object.keys(NUMBERS),
];

/**
 * @returns the options, with a value for every number
 * @throws {TypeError | RangeError}
 */
export function checkManagerOptions(options: unknown): any {
  const given = record(options, 'options', KNOWN_OPTIONS);
  const { adapters, stateSchema = dashboardState, rateLimits = {}, onReport } = given;
  if (typeof adapters !== 'function' && !isPlainObject(adapters)) {
    throw new TypeError(`options.adapters must be a function or an object of functions, got ${describe(adapters)}`);
  }
  if (!isStandardSchema(stateSchema)) {
    throw new TypeError(`options.stateSchema must be a Standard Schema, got ${describe(stateSchema)}`);
  }
  checkFunction(onReport, 'options.onReport');
  const numbers = Object.entries(NUMBERS).map(([name, bounds]) => [
    name,
    integer(given[name], `options.${name}`, bounds),
  ]);
  return {
    ...given,
    ...Object.fromEntries(numbers),
    ...checkSome(given, PLACE),
    stateSchema,
    onReport: onReport && safeListener(onReport, 'onReport'),
    rateLimits: checkRateLimits(rateLimits),
  };
}

function checkRateLimits(rateLimits: unknown): Map<string, { perSecond: number; concurrency: number }> {
  const path = 'options.rateLimits';
  if (!isPlainObject(rateLimits)) throw new TypeError(`${path} must be an object, got ${describe(rateLimits)}`);
  return new Map(
    Object.entries(rateLimits).map(([source, limits]) => {
      const at = memberPath(path, source);
      const { perSecond, concurrency } = record(limits, at, ['perSecond', 'concurrency']);
      const checked = (value: any, name: string) =>
        value === undefined ? Infinity : integer(value, `${at}.${name}`, [1, 1, MAX_COUNT]);
      return [source, { perSecond: checked(perSecond, 'perSecond'), concurrency: checked(concurrency, 'concurrency') }];
    }),
  );
}

/** @param options of one execution */
export function checkExecutionOptions(options: unknown, defaultContext: unknown) {
  const {
    signal,
    style = 'auto',
    onReport,
    ...given
  } = record(options, 'options', ['signal', 'context', 'style', 'onReport']);
  checkSignal(signal);
  if (!['auto', 'sync', 'async'].includes(style)) {
    throw new TypeError(`options.style must be "auto", "sync" or "async", got ${describe(style)}`);
  }
  checkFunction(onReport, 'options.onReport');
  const listener = onReport && safeListener(onReport, 'onReport');
  return { signal, style, onReport: listener, context: 'context' in given ? given.context : defaultContext };
}

function checkFunction(value: unknown, path: string) {
  if (value !== undefined && typeof value !== 'function') {
    throw new TypeError(`${path} must be a function, got ${describe(value)}`);
  }
}

function integer(value: unknown, path: string, [fallback, min, max]: [number, number, number]) {
  if (value === undefined) return fallback;
  if (typeof value !== 'number') throw new TypeError(`${path} must be a number, got ${describe(value)}`);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${path} must be an integer from ${min} to ${max}, got ${describe(value)}`);
  }
  return value;
}
