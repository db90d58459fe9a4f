import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, isUrl } from '../contract/describe';
import { record } from '../contract/options';

declare global {
  // Empty if neither the types of the DOM nor those of Node.js declare it.
  interface URL {}
}

/** Options of file tools. */
export interface FileToolOptions {
  /**
   * The folder that the tools work in: a path or a `file:` URL. It is opened once, and all paths in calls are relative
   * to it. `..`, absolute paths and symbolic links cannot lead outside, even if folders and links are exchanged during
   * a call. Relative symbolic links within the folder work; absolute ones do not. An absolute path works if its text
   * begins with the folder's path.
   */
  root: string | URL;
  /** Whether to omit `write`, `edit`, `move` and `remove`. Default `false`. */
  readOnly?: boolean | undefined;
  /** Limits of one call. */
  limits?: FileToolLimits | undefined;
}

/** Limits of one call: integers from 1. */
export interface FileToolLimits {
  /** Maximum number of lines that one call of `read` returns. Default 2,000. */
  maxLines?: number | undefined;
  /**
   * Maximum number of UTF-8 bytes of text that one call returns, without notices, and of the diff of `edit`. Default
   * 51,200 (50 KiB).
   */
  maxBytes?: number | undefined;
  /** Maximum number of bytes of an image that `read` returns, before base64. Default 10,485,760 (10 MiB). */
  maxImageBytes?: number | undefined;
  /**
   * Maximum number of bytes of a file. `readText`, `readBytes`, `edit`, `write`, `grep` of one file, and `read` without
   * `offset` and `limit` refuse larger files. `grep` of a folder leaves them out and reports their number. Default
   * 33,554,432 (32 MiB).
   */
  maxFileBytes?: number | undefined;
  /**
   * Maximum number of matches, paths or entries that `grep`, `find` and `ls` return, whatever their `limit`. Default
   * 10,000.
   */
  maxResults?: number | undefined;
  /**
   * Maximum number of folder entries that `grep`, `find` and `ls` visit. At the limit they return what they have found.
   * `remove` also removes at most this many entries, and fails if there are more. Default 200,000.
   */
  maxEntries?: number | undefined;
  /**
   * Maximum number of milliseconds that `grep`, `find` and `ls` search. At the limit they return what they have found.
   * Also limits the time in which `read` reaches lines of a file larger than `maxFileBytes`; at the limit it fails.
   * Default 5,000.
   */
  maxSearchMs?: number | undefined;
}

/** 1 GiB, because results and files become strings. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;

/** Default and maximum of each limit. */
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
