import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe } from '../contract/describe';
import { record } from '../contract/options';

/** 1 GiB: results and files are strings at last. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;

/** Name -> default, greatest value. */
const LIMITS = {
  maxLines: [2_000, MAX_COUNT],
  maxBytes: [50 * 1024, MAX_BYTES],
  maxImageBytes: [10 * (1 << 20), MAX_BYTES],
  maxFileBytes: [32 * (1 << 20), MAX_BYTES],
  maxResults: [10_000, MAX_COUNT],
  maxEntries: [200_000, MAX_COUNT],
  maxSearchMs: [5_000, 2 ** 31 - 1],
} as const;

/** @throws {TypeError | RangeError} */
export function checkFileToolOptions(options: unknown): {
  root: string;
  readOnly: boolean;
  limits: Record<keyof typeof LIMITS, number>;
} {
  const given = record(options, 'options', ['root', 'readOnly', 'limits']);
  const { readOnly = false } = given;
  if (typeof readOnly !== 'boolean') {
    throw new TypeError(`options.readOnly must be a boolean, got ${describe(readOnly)}`);
  }
  return { root: checkRoot(given.root), readOnly, limits: checkLimits(given.limits) };
}

function checkRoot(root: unknown) {
  if (root instanceof URL && root.protocol === 'file:') return fileURLToPath(root);
  if (typeof root !== 'string' || root === '' || root.includes('\0')) {
    throw new TypeError(`options.root must be the path of a folder, or its file: URL, got ${describe(root)}`);
  }
  return resolve(root);
}

function checkLimits(limits: unknown) {
  const given = record(limits, 'options.limits', Object.keys(LIMITS));
  const checked = Object.entries(LIMITS).map(([name, [fallback, max]]) => {
    const value = given[name] ?? fallback;
    if (typeof value !== 'number') {
      throw new TypeError(`options.limits.${name} must be a number, got ${describe(value)}`);
    }
    if (!Number.isInteger(value) || value < 1 || value > max) {
      throw new RangeError(`options.limits.${name} must be an integer from 1 to ${max}, got ${describe(value)}`);
    }
    return [name, value];
  });
  return Object.fromEntries(checked);
}
