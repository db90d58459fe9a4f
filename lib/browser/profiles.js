// @ts-check
'use strict';

const { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Folders are called by the process that they belong to, and by the moment in which it began: numbers are used again. */
const PREFIX = 'ses-executor-browser-';
/** File in such a folder that names its browser in the same way. */
const BROWSER_FILE = 'ses-executor-browser';

/**
 * A new, empty folder for a browser of this process.
 *
 * @param {{ uid: number, gid: number } | undefined} owner
 */
function makeProfile(owner) {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${birthOf(process.pid)}-`));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** @param {string} folder */
function removeProfile(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A process of the browser still writes there; the next start sweeps it.
  }
}

/**
 * Notes which browser has the folder: a worker thread that is terminated cannot remove it, and its process lives on.
 *
 * @param {string} folder
 * @param {number} pid
 */
function noteBrowser(folder, pid) {
  try {
    writeFileSync(join(folder, BROWSER_FILE), `${pid}-${birthOf(pid)}`);
  } catch {
    // Then the folder stays until the process has ended.
  }
}

/** Removes the folders of processes, and of browsers, that have ended without doing so. */
function sweepProfiles() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, birth] = /^ses-executor-browser-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    if (!isAlive(Number(pid), birth) || hasBrowserEnded(folder)) removeProfile(folder);
  }
}

/**
 * @param {string} folder
 * @returns {boolean} false as well if its browser is not known
 */
function hasBrowserEnded(folder) {
  try {
    const [pid, birth] = readFileSync(join(folder, BROWSER_FILE), 'latin1').split('-');
    return !isAlive(Number(pid), birth) || isZombie(Number(pid));
  } catch {
    return false;
  }
}

/**
 * Whether a process has ended and nobody has asked for its status: the thread that would is gone.
 *
 * @param {number} pid
 */
function isZombie(pid) {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @param {string} birth
 */
function isAlive(pid, birth) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one, too.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM' && birthOf(pid) === birth;
  }
  return birthOf(pid) === birth;
}

/**
 * When a process has begun, in the system's own unit; 0 where that cannot be known.
 *
 * @param {number} pid
 */
function birthOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '0';
  }
}

module.exports = { makeProfile, noteBrowser, removeProfile, sweepProfiles };
