import { accessSync, constants, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Where processes of this user may keep snapshots of Python, absolute paths: first this one's place. None without a home. What is not
 * absolute counts for nothing, as the specification of XDG_CACHE_HOME says.
 */
export function snapshotFolders() {
  const caches = [process.env.XDG_CACHE_HOME ?? '', join(home(), '.cache')];
  return caches.filter(isAbsolute).map((cache) => join(cache, 'ses-executor', 'python'));
}

/**
 * The first folder of snapshots that whoever may write in `root` can fill or replace: processes run the code of what they find there.
 *
 * @param root absolute
 */
export function snapshotFolderWithin(root: string): string | undefined {
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
 * @param path absolute
 */
function entriesOnTheWay(path: string, found: Set<string> = new Set()): Set<string> {
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
 * @param path absolute
 */
function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), basename(path));
  }
}

function linkTarget(path: string) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(root: string, path: string) {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

let hasLooked = false;

/**
 * Where this process keeps its snapshots. Warns once of a place that has none and cannot be written: each process starts Python in full
 * then, which takes seconds instead of a fraction of one.
 */
export function snapshotFolder(): string | undefined {
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

function hasSnapshot(folder: string) {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.image'));
  } catch {
    return false;
  }
}

/**
 * Whether a folder can be written, or made.
 *
 * @param folder absolute
 */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = (error as any).code === 'ENOENT' && dirname(folder) !== folder;
    return isMissing && isWritable(dirname(folder));
  }
}
