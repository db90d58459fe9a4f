// @ts-check
'use strict';

const { accessSync, constants, readdirSync, readlinkSync, realpathSync } = require('node:fs');
const { homedir } = require('node:os');
const { basename, dirname, isAbsolute, join, relative, resolve, sep } = require('node:path');

/**
 * Where processes of this user may keep snapshots of Python, absolute paths: first this one's place. None without a home. What is not
 * absolute counts for nothing, as the specification of XDG_CACHE_HOME says.
 */
function snapshotFolders() {
  const caches = [process.env.XDG_CACHE_HOME ?? '', join(home(), '.cache')];
  return caches.filter(isAbsolute).map((cache) => join(cache, 'ses-executor', 'python'));
}

/**
 * The first folder of snapshots that whoever may write in `root` can fill or replace: processes run the code of what they find there.
 *
 * @param {string} root absolute
 * @returns {string | undefined}
 */
function snapshotFolderWithin(root) {
  const real = canonical(root);
  return snapshotFolders().find((folder) => [...entriesOnTheWay(folder)].some((entry) => isWithin(real, entry)));
}

function home() {
  try {
    return homedir();
  } catch {
    // Neither the environment nor the system knows one.
    return '';
  }
}

/**
 * All entries that are looked up on the way to a path, links followed.
 *
 * @param {string} path absolute
 * @param {Set<string>} [found]
 * @returns {Set<string>}
 */
function entriesOnTheWay(path, found = new Set()) {
  const parent = dirname(path);
  const entry = parent === path ? path : join(canonical(parent), basename(path));
  if (found.has(entry)) return found;
  found.add(entry);
  entriesOnTheWay(parent, found);
  const target = linkTarget(entry);
  return target === undefined ? found : entriesOnTheWay(resolve(dirname(entry), target), found);
}

/**
 * A path without links, whether or not there is anything.
 *
 * @param {string} path absolute
 * @returns {string}
 */
function canonical(path) {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), basename(path));
  }
}

/** @param {string} path */
function linkTarget(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @param {string} path
 */
function isWithin(root, path) {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

let hasLooked = false;

/**
 * Where this process keeps its snapshots. Warns once of a place that has none and cannot be written: each process starts Python in full
 * then, which takes seconds instead of a fraction of one.
 *
 * @returns {string | undefined}
 */
function snapshotFolder() {
  const [folder] = snapshotFolders();
  if (!hasLooked && (folder === undefined || !(hasSnapshot(folder) || isWritable(folder)))) {
    const place = folder === undefined ? 'there is no home' : `${folder} cannot be written`;
    process.emitWarning(
      `Python starts in full in each process, which takes seconds, since ${place}: have XDG_CACHE_HOME name a folder for its snapshot`,
      { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_PYTHON_CACHE' },
    );
  }
  hasLooked = true;
  return folder;
}

/** @param {string} folder */
function hasSnapshot(folder) {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.image'));
  } catch {
    return false;
  }
}

/**
 * Whether a folder can be written, or made.
 *
 * @param {string} folder absolute
 * @returns {boolean}
 */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = /** @type {any} */ (error).code === 'ENOENT' && dirname(folder) !== folder;
    return isMissing && isWritable(dirname(folder));
  }
}

module.exports = { snapshotFolder, snapshotFolderWithin, snapshotFolders };
