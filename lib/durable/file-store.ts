import { constants } from 'node:fs';
import * as fs from 'node:fs';
import { open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { describe } from '../contract/describe';
import { lockFile, removeLocks } from './file-lock';
import { fileNameOf, idOfFile } from './session-names';
import { journalConflict, unexpectedEntries } from './store';
import type { JournalStore } from './store';

/** The beginning of each file. */
const HEAD = Buffer.from('ses-executor journal 1\n', 'latin1');
/** Before each entry: its length, little-endian. */
const LENGTH_BYTES = 4;
/** Set in the length of an entry that was appended together with the next one. An entry is never so large. */
const GOES_ON = 0x8000_0000;
/** How much is read at once: 256 KiB. */
const CHUNK_BYTES = 256 << 10;
const SUFFIX = '.journal';
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_RDONLY, O_RDWR } = constants;

/**
 * A store in a folder, which is created if necessary: one file per session, which only grows, and one per large value.
 * Only the user of this process can read them.
 *
 * A process that ends while it writes leaves an incomplete last append, which is dropped with all of its entries. One
 * process at a time can have a session open. The claim of a process that has ended is taken over.
 *
 * @throws `TypeError` if `folder` is not a path
 */
export function fileStore(folder: string): JournalStore {
  if (typeof folder !== 'string' || folder === '') {
    throw new TypeError(`folder must be the path of a folder, got ${describe(folder)}`);
  }
  return new FileStore(resolve(folder));
}

/** A journal that this process writes. */
interface Written {
  fd: number;
  entries: number;
  bytes: number;
}

class FileStore implements JournalStore {
  #folder;
  #written: Map<string, Written> = new Map();
  /** Sessions with new files of large values. The next append that is synchronised writes the folder, too. */
  #withNewBlobs: Set<string> = new Set();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async *read(id: string, from: number = 0) {
    let number = 0;
    for await (const { entry } of framesOf(this.#pathOf(id))) if (number++ >= from) yield entry;
  }

  append(id: string, after: number, entries: readonly Uint8Array[], how?: { sync: boolean }): number | Promise<number> {
    const written = this.#written.get(id);
    // Only a session that is locked stays open.
    if (written === undefined) return this.#appendOnce(id, after, entries);
    refuseOtherWriter(written, id);
    appendTo(written, id, after, entries);
    if (!how?.sync) return written.entries;
    const synced = new Promise<number>((done, fail) =>
      fs.fdatasync(written.fd, (error) => (error === null ? done(written.entries) : fail(error))),
    );
    if (!this.#withNewBlobs.has(id)) return synced;
    return Promise.all([synced, this.#syncBlobs(id)]).then(([count]) => count);
  }

  async #appendOnce(id: string, after: number, entries: readonly Uint8Array[]) {
    const written = await this.#open(id);
    try {
      refuseOtherWriter(written, id);
      appendTo(written, id, after, entries);
      fs.fdatasyncSync(written.fd);
      if (this.#withNewBlobs.has(id)) await this.#syncBlobs(id);
      return written.entries;
    } finally {
      fs.closeSync(written.fd);
    }
  }

  async putBlob(id: string, digest: string, bytes: Uint8Array) {
    this.#makeFolder();
    const path = this.#blobPathOf(id, digest);
    if (!fs.existsSync(path)) {
      await writeFile(`${path}.new`, bytes, { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
    }
    // A file that is there may have been made by a process that ended before it wrote the folder.
    this.#withNewBlobs.add(id);
  }

  /** Their contents were written when they were made. */
  async #syncBlobs(id: string) {
    this.#withNewBlobs.delete(id);
    try {
      await syncFolder(this.#folder);
    } catch (error) {
      this.#withNewBlobs.add(id);
      throw error;
    }
  }

  async getBlob(id: string, digest: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.#blobPathOf(id, digest));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async *list() {
    for (const name of await this.#names()) {
      const id = sessionOfFile(name);
      if (id !== undefined) yield { id };
    }
  }

  async remove(id: string) {
    this.#withNewBlobs.delete(id);
    const path = this.#pathOf(id);
    const names = await this.#names();
    if (names.length > 0) removeLocks(path, `the session ${id}`);
    const blobs = names.filter((name) => name.startsWith(`${fileNameOf(id)}.blob-`));
    await Promise.all(
      [path, ...blobs.map((name) => join(this.#folder, name))].map((file) => rm(file, { force: true })),
    );
  }

  async lock(id: string) {
    this.#makeFolder();
    const unlock = lockFile(this.#pathOf(id), `the session ${id}`);
    try {
      const written = await this.#open(id);
      this.#written.set(id, written);
      return () => {
        this.#written.delete(id);
        fs.closeSync(written.fd);
        if (written.entries === 0) fs.rmSync(this.#pathOf(id), { force: true });
        unlock();
      };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  async #open(id: string): Promise<Written> {
    this.#makeFolder();
    const path = this.#pathOf(id);
    let [entries, bytes] = [0, 0];
    for await (const { end } of framesOf(path)) [entries, bytes] = [entries + 1, end];
    const fd = fs.openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      // What a process has left that ended while it wrote.
      fs.ftruncateSync(fd, bytes);
      if (bytes === 0) {
        bytes = writeAll(fd, HEAD, 0);
        await syncFolder(this.#folder);
      }
      return { fd, entries, bytes };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  #makeFolder() {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  async #names() {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #pathOf(id: string) {
    return join(this.#folder, `${fileNameOf(id)}${SUFFIX}`);
  }

  #blobPathOf(id: string, digest: string) {
    return join(this.#folder, `${fileNameOf(id)}.blob-${digest}`);
  }
}

/**
 * The session whose journal a file of this store is. Undefined if the file is not a journal.
 *
 * @internal
 */
export function sessionOfFile(name: string): string | undefined {
  if (!name.endsWith(SUFFIX) || name === SUFFIX) return undefined;
  return idOfFile(name.slice(0, -SUFFIX.length));
}

/** A second check, if the lock was removed by hand. */
function refuseOtherWriter(written: Written, id: string) {
  if (fs.fstatSync(written.fd).size !== written.bytes) {
    throw journalConflict(`another process has written to the session ${id}`, { id });
  }
}

function appendTo(written: Written, id: string, after: number, entries: readonly Uint8Array[]) {
  if (written.entries !== after) throw unexpectedEntries(id, after, written.entries);
  const frames = Buffer.allocUnsafe(entries.reduce((sum, entry) => sum + LENGTH_BYTES + entry.byteLength, 0));
  let at = 0;
  for (const [index, entry] of entries.entries()) {
    const mark = index < entries.length - 1 ? GOES_ON : 0;
    at = frames.writeUInt32LE(mark + entry.byteLength, at);
    frames.set(entry, at);
    at += entry.byteLength;
  }
  try {
    written.bytes = writeAll(written.fd, frames, written.bytes);
  } catch (error) {
    // The next process drops what cannot be dropped now.
    truncate(written);
    throw error;
  }
  written.entries += entries.length;
}

/** After a loss of power, a new file is in its folder only if the folder was written, too. */
async function syncFolder(folder: string) {
  if (process.platform === 'win32') return;
  const file = await open(folder, O_RDONLY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @returns where the file ends now */
function writeAll(fd: number, bytes: Uint8Array, end: number) {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at);
  return end + bytes.length;
}

function truncate({ fd, bytes }: Written) {
  try {
    fs.ftruncateSync(fd, bytes);
  } catch {
    // The append stays incomplete.
  }
}

/**
 * The entries of a file, and where each ends. Entries that were appended together come only if all of them are
 * complete: without the others, the first ones of a fork or of a session that begins again are another state.
 */
async function* framesOf(path: string): AsyncGenerator<{ entry: Uint8Array; end: number }> {
  let file;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    const { size } = await file.stat();
    let [end, known, buffer] = [0, 0, Buffer.alloc(0)];
    /** The next bytes, or undefined if there are not so many. */
    const take = async (length: number) => {
      if (length > size - end) return undefined;
      while (buffer.length < length) {
        const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, length - buffer.length));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, known);
        if (bytesRead === 0) return undefined;
        known += bytesRead;
        buffer = Buffer.concat([buffer, chunk.subarray(0, bytesRead)]);
      }
      const taken = buffer.subarray(0, length);
      buffer = buffer.subarray(length);
      end += length;
      return taken;
    };
    const head = await take(HEAD.length);
    if (head === undefined) return;
    if (!head.equals(HEAD)) throw new Error(`${path} is not a journal of this version of ses-executor`);
    let appended: { entry: Uint8Array; end: number }[] = [];
    for (;;) {
      const mark = (await take(LENGTH_BYTES))?.readUInt32LE() ?? 0;
      const length = mark % GOES_ON;
      // No entry is empty: after a loss of power, a file may end with zeros.
      const entry = length === 0 ? undefined : await take(length);
      if (entry === undefined) return;
      appended.push({ entry, end });
      if (mark >= GOES_ON) continue;
      yield* appended;
      appended = [];
    }
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown) {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
