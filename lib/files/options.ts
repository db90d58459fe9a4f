import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, isUrl } from '../contract/describe';
import { record } from '../contract/options';

declare global {
  // Empty if neither the types of the DOM nor those of Node.js declare it.
  interface URL {}
}

/** What file tools are made with. */
export interface FileToolOptions {
  /**
   * The folder that the tools work in, a path or a `file:` URL. It is opened once; all paths of calls are relative to it.
   * `..`, absolute paths and symbolic links do not lead out of it, even if folders and links are exchanged meanwhile.
   * Relative symbolic links that stay inside work, absolute ones do not. Absolute paths work that lie inside as they are written.
   */
  root: string | URL;
  /** Whether `write`, `edit`, `move` and `remove` are left out. Default `false`. */
  readOnly?: boolean | undefined;
  /** What one call may use. */
  limits?: FileToolLimits | undefined;
}

/** Limits of one call: integers from 1. */
export interface FileToolLimits {
  /** Lines that `read` shows at once. Default 2,000. */
  maxLines?: number | undefined;
  /** UTF-8 bytes of text that a tool gives at once, and of the diff of `edit`; notices aside. Default 51,200 (50 KiB). */
  maxBytes?: number | undefined;
  /** Bytes of an image that `read` gives, before base64. Default 10,485,760 (10 MiB). */
  maxImageBytes?: number | undefined;
  /**
   * Bytes of a file: `readText`, `readBytes`, `edit`, `write`, `grep` of one file and `read` without `offset` and `limit` refuse larger ones, `grep`
   * of a folder skips them and says so. Default 33,554,432 (32 MiB).
   */
  maxFileBytes?: number | undefined;
  /** Matches, paths or entries that `grep`, `find` and `ls` give, whatever their `limit`. Default 10,000. */
  maxResults?: number | undefined;
  /**
   * Folder entries that `grep`, `find` and `ls` look at; then they give what they have. `remove` removes as many; if there are
   * more, it is an error then. Default 200,000.
   */
  maxEntries?: number | undefined;
  /**
   * Milliseconds that `grep`, `find` and `ls` look for; then they give what they have. Also for `read` to reach lines of a file beyond
   * `maxFileBytes`; then it fails. Default 5,000.
   */
  maxSearchMs?: number | undefined;
}

/** 1 GiB: results and files end up as strings. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;

/** Name -> default and maximum. */
const LIMITS = {
  maxLines: [2_000, MAX_COUNT],
  maxBytes: [50 * 1024, MAX_BYTES],
  maxImageBytes: [10 * (1 << 20), MAX_BYTES],
  maxFileBytes: [32 * (1 << 20), MAX_BYTES],
  maxResults: [10_000, MAX_COUNT],
  maxEntries: [200_000, MAX_COUNT],
  maxSearchMs: [5_000, 2 ** 31 - 1],
} as const;

/**
 * @throws {TypeError | RangeError}
 *
 * @internal
 */
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
  if (isUrl(root) && root.protocol === 'file:') return fileURLToPath(root.href);
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
