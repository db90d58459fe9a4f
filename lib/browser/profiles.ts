import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder's name contains the id and the start time of the process that owns it, because process ids are reused. */
const PREFIX = 'ses-executor-browser-';
/** File in such a folder that names its browser in the same way. */
const BROWSER_FILE = 'ses-executor-browser';

/** Creates an empty folder for a browser of this process. */
export function makeProfile(owner: { uid: number; gid: number } | undefined) {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${birthOf(process.pid)}-`));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

export function removeProfile(folder: string) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A browser process is still writing to it. The next start removes the folder.
  }
}

/**
 * Notes which browser uses the folder. A terminated worker thread cannot remove its folder, and its process lives on.
 */
export function noteBrowser(folder: string, pid: number) {
  try {
    writeFileSync(join(folder, BROWSER_FILE), `${pid}-${birthOf(pid)}`);
  } catch {
    // Without the note, the folder stays until the process has ended.
  }
}

/** Removes the folders of processes and browsers that ended without removing them. */
export function sweepProfiles() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, birth] = /^ses-executor-browser-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    if (!isAlive(Number(pid), birth) || hasBrowserEnded(folder)) removeProfile(folder);
  }
}

/** @returns also false if its browser is not known */
function hasBrowserEnded(folder: string): boolean {
  try {
    const [pid, birth] = readFileSync(join(folder, BROWSER_FILE), 'latin1').split('-');
    return !isAlive(Number(pid), birth) || isZombie(Number(pid));
  } catch {
    return false;
  }
}

/** Whether a process has ended without its status being read. The thread that would read it no longer exists. */
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
    // A process of another user also counts as running.
    return (error as NodeJS.ErrnoException).code === 'EPERM' && birthOf(pid) === birth;
  }
  return birthOf(pid) === birth;
}

/** Start time of a process, in the system's own unit; 0 if it is not known. */
function birthOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '0';
  }
}
