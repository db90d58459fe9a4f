import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Folders are called by the process that they belong to, and by the moment in which it began: numbers are used again.
 */
const PREFIX = 'ses-executor-browser-';
/** File in such a folder that names its browser in the same way. */
const BROWSER_FILE = 'ses-executor-browser';

/** A new, empty folder for a browser of this process. */
export function makeProfile(owner: { uid: number; gid: number } | undefined) {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${birthOf(process.pid)}-`));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

export function removeProfile(folder: string) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A process of the browser still writes there; the next start sweeps it.
  }
}

/**
 * Notes which browser has the folder: a worker thread that is terminated cannot remove it, and its process lives on.
 */
export function noteBrowser(folder: string, pid: number) {
  try {
    writeFileSync(join(folder, BROWSER_FILE), `${pid}-${birthOf(pid)}`);
  } catch {
    // Then the folder stays until the process has ended.
  }
}

/** Removes the folders of processes, and of browsers, that have ended without doing so. */
export function sweepProfiles() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, birth] = /^ses-executor-browser-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    if (!isAlive(Number(pid), birth) || hasBrowserEnded(folder)) removeProfile(folder);
  }
}

/** @returns false as well if its browser is not known */
function hasBrowserEnded(folder: string): boolean {
  try {
    const [pid, birth] = readFileSync(join(folder, BROWSER_FILE), 'latin1').split('-');
    return !isAlive(Number(pid), birth) || isZombie(Number(pid));
  } catch {
    return false;
  }
}

/** Whether a process has ended and nobody has asked for its status: the thread that would is gone. */
function isZombie(pid: number) {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function isAlive(pid: number, birth: string) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM' && birthOf(pid) === birth;
  }
  return birthOf(pid) === birth;
}

/** When a process has begun, in the system's own unit; 0 where that cannot be known. */
function birthOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '0';
  }
}
