import { accessSync, constants, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Absolute paths of the folders where this user's processes may keep Python snapshots. The folder of this process comes
 * first. The list is empty without a home folder. Relative paths are ignored, as the specification of XDG_CACHE_HOME
 * requires.
 */
export function snapshotFolders() {
  const caches = [process.env.XDG_CACHE_HOME ?? '', join(home(), '.cache')];
  return caches.filter(isAbsolute).map((cache) => join(cache, 'ses-executor', 'python'));
}

/**
 * The first snapshot folder whose files could be created or replaced by code with write access to `root`. Such files
 * are dangerous because processes run the code in their snapshots.
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
    // Neither the environment nor the system has a home folder.
    return '';
  }
}

/**
 * All file system entries that are looked up to resolve a path, including the targets of links.
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
 * A path without links. It need not exist.
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
 * The folder where this process keeps its snapshots. Warns once if the folder has no snapshot and is not writable. Each
 * process then starts Python from scratch, which takes seconds instead of a fraction of a second.
 */
export function snapshotFolder(): string | undefined {
  const [folder] = snapshotFolders();
  if (!hasLooked && (folder === undefined || !(hasSnapshot(folder) || isWritable(folder)))) {
    const place = folder === undefined ? 'there is no home folder' : `${folder} cannot be written`;
    process.emitWarning(
      `Each process starts Python from scratch, which takes seconds, because ${place}: set XDG_CACHE_HOME to a folder for its snapshot`,
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
 * Whether a folder is writable, or can be created.
 *
 * @param folder absolute
 */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(folder) !== folder;
    return isMissing && isWritable(dirname(folder));
  }
}
