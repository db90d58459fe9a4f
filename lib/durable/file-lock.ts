import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readdirSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { journalConflict } from './store';

// A lock is a file `<path>.lock-<n>` that names its owner. It is made complete and under its name in one step, by a
// hard link, so that of two hosts that want the same number one fails. A host that finds the lock of a process that has
// ended makes the next number. Then it looks again: it gives up if another live host has any number.

interface Owner {
  token: string;
  pid: number;
  /** when the process began, as far as the system tells: a process may get the number of an earlier one */
  began: string;
  host: string;
  /** another one after each start of the machine */
  boot: string;
  /**
   * in which `pid` counts, as far as the system tells; containers have their own. Earlier versions did not write it.
   */
  namespace?: string;
}

/**
 * Claims a path for this process.
 *
 * @param what how messages name it
 * @returns a function that releases it
 * @throws {ExecutorError} `ERR_JOURNAL_CONFLICT` if a live process has it
 */
export function lockFile(path: string, what: string): () => void {
  const owner = newOwner();
  const found = locksOf(path);
  refuseIfHeld(found, what);
  const own = `${path}.lock-${Math.max(0, ...found.map(({ number }) => number)) + 1}`;
  linkComplete(own, JSON.stringify(owner), what);
  const others = locksOf(path).filter(({ file }) => file !== own);
  try {
    refuseIfHeld(others, what);
  } catch (error) {
    remove(own);
    throw error;
  }
  for (const { file } of others) remove(file);
  return () => {
    if (ownerOf(own)?.token === owner.token) remove(own);
  };
}

/** Removes the locks that processes have left that have ended. */
export function removeLocks(path: string, what: string) {
  const found = locksOf(path);
  refuseIfHeld(found, what);
  for (const { file } of found) remove(file);
}

function refuseIfHeld(locks: { file: string; owner: Owner | undefined }[], what: string) {
  for (const { file, owner } of locks) {
    if (owner === undefined || !isAlive(owner)) continue;
    const advice = isElsewhere(owner) ? `; if that process has ended, remove ${file}` : '';
    const where = owner.host === hostname() && isElsewhere(owner) ? 'in another PID namespace on' : 'on';
    const reason = `process ${owner.pid} ${where} ${owner.host} has ${what} open${advice}`;
    throw journalConflict(reason, { pid: owner.pid, host: owner.host });
  }
}

function locksOf(path: string) {
  const prefix = `${basename(path)}.lock-`;
  const folder = dirname(path);
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => {
    const number = Number(name.slice(prefix.length));
    const file = join(folder, name);
    return Number.isInteger(number) ? [{ number, file, owner: ownerOf(file) }] : [];
  });
}

/** undefined if it was removed meanwhile, or is no lock of this package */
function ownerOf(file: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner> | null;
    return typeof owner?.token === 'string' && Number.isInteger(owner.pid) ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

function isElsewhere({ host, namespace = namespaceOf() }: Owner) {
  return host !== hostname() || namespace !== namespaceOf();
}

function isAlive(owner: Owner) {
  const { pid, began, host, boot } = owner;
  if (host === hostname() && boot !== bootOf()) return false;
  // Nobody can tell from here.
  if (isElsewhere(owner)) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return began === beginningOf(pid);
}

function linkComplete(path: string, text: string, what: string) {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw journalConflict(`another host has just opened ${what}`);
  } finally {
    remove(draft);
  }
}

function remove(path: string) {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

let known: Omit<Owner, 'token'> | undefined;

function newOwner(): Owner {
  known ??= {
    pid: process.pid,
    began: beginningOf(process.pid),
    host: hostname(),
    boot: bootOf(),
    namespace: namespaceOf(),
  };
  return { token: randomUUID(), ...known };
}

/** Empty where the system does not tell. */
function beginningOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may have spaces. The 22nd field is the time of the start.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function bootOf() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

function namespaceOf() {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
