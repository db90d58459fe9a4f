// @ts-check
'use strict';

const { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Folders are called by the process that they belong to, and by the moment in which it began: numbers are used again. */
const PREFIX = 'ses-executor-browser-';

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

/** Removes the folders of processes that have ended without doing so. */
function sweepProfiles() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, birth] = /^ses-executor-browser-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid), birth)) removeProfile(join(tmpdir(), name));
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

module.exports = { makeProfile, removeProfile, sweepProfiles };
