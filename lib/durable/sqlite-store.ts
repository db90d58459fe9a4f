import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';

import { describe } from '../contract/describe';
import { lockFile, removeLocks } from './file-lock';
import { fileNameOf } from './session-names';
import { unexpectedEntries } from './store';
import type { JournalStore } from './store';

/** What this file uses of `node:sqlite`, which not all supported versions of Node.js have. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: (string | number | Uint8Array)[]): unknown;
    get(...values: (string | number)[]): Record<string, unknown> | undefined;
    all(...values: (string | number)[]): Record<string, unknown>[];
  };
}

const IN_MEMORY = ':memory:';
/** How long a statement waits for another process, in milliseconds. */
const BUSY_MS = 5_000;
/** How long it waits between two attempts to set up a file, in milliseconds. */
const RETRY_MS = 5;
/** SQLITE_BUSY, without the bits that say why. */
const isBusy = (error: unknown) => ((error as { errcode?: number } | null)?.errcode ?? 0) % 256 === 5;
/** How many entries are read at once. */
const PAGE_ENTRIES = 64;

/**
 * A store in a SQLite file, which is created if necessary. It uses `node:sqlite`. Any number of processes can use the
 * file. One process at a time can have a session open, which a lock file next to it records. The claim of a process
 * that has ended is taken over.
 *
 * @throws `TypeError` if `path` is not a path
 * @throws `Error` if this version of Node.js does not have `node:sqlite`
 */
export function sqliteStore(path: string): JournalStore {
  if (typeof path !== 'string' || path === '') {
    throw new TypeError(`path must be the path of a file, got ${describe(path)}`);
  }
  return new SqliteStore(openDatabase(path), path === IN_MEMORY ? undefined : resolve(path));
}

function openDatabase(path: string): Database {
  const sqlite = process.getBuiltinModule?.('node:sqlite') as
    { DatabaseSync: new (path: string) => Database } | undefined;
  if (sqlite === undefined) {
    throw new Error('sqliteStore() needs node:sqlite: use Node.js 22.13 or later, or fileStore()');
  }
  if (path !== IN_MEMORY) closeSync(openSync(path, 'a', 0o600));
  const database = new sqlite.DatabaseSync(path);
  setUp(database);
  return database;
}

/**
 * Two processes may set up a new file at the same time. SQLite does not wait for the other one when it changes the mode
 * of the journal, whatever `busy_timeout` says, so this does.
 */
function setUp(database: Database) {
  const end = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL;
        CREATE TABLE IF NOT EXISTS entries (id TEXT, number INTEGER, bytes BLOB, PRIMARY KEY (id, number)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS blobs (id TEXT, digest TEXT, bytes BLOB, PRIMARY KEY (id, digest)) WITHOUT ROWID;`);
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
}

class SqliteStore implements JournalStore {
  #database;
  #isSynced: boolean | undefined;
  #statements;
  #path;

  /** @param path of the file; undefined if there is none */
  constructor(database: Database, path: string | undefined) {
    this.#database = database;
    this.#path = path;
    this.#statements = {
      read: database.prepare('SELECT number, bytes FROM entries WHERE id = ? AND number >= ? ORDER BY number LIMIT ?'),
      count: database.prepare('SELECT coalesce(max(number) + 1, 0) AS entries FROM entries WHERE id = ?'),
      append: database.prepare('INSERT INTO entries VALUES (?, ?, ?)'),
      putBlob: database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)'),
      getBlob: database.prepare('SELECT bytes FROM blobs WHERE id = ? AND digest = ?'),
      list: database.prepare('SELECT DISTINCT id FROM entries ORDER BY id'),
    };
  }

  async *read(id: string, from: number = 0) {
    // A statement has one cursor: reads that overlap must not keep it open.
    let page;
    do {
      page = this.#statements.read.all(id, from, PAGE_ENTRIES);
      for (const { number, bytes } of page) {
        yield bytes as Uint8Array;
        from = Number(number) + 1;
      }
    } while (page.length === PAGE_ENTRIES);
  }

  append(id: string, after: number, entries: readonly Uint8Array[], { sync } = { sync: false }) {
    if (sync !== this.#isSynced) this.#database.exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = sync;
    return this.#inTransaction(() => {
      const found = Number(this.#statements.count.get(id)?.entries);
      if (found !== after) throw unexpectedEntries(id, after, found);
      entries.forEach((entry, index) => this.#statements.append.run(id, after + index, entry));
      return after + entries.length;
    });
  }

  putBlob(id: string, digest: string, bytes: Uint8Array) {
    this.#statements.putBlob.run(id, digest, bytes);
  }

  getBlob(id: string, digest: string) {
    return this.#statements.getBlob.get(id, digest)?.bytes as Uint8Array | undefined;
  }

  async *list() {
    for (const { id } of this.#statements.list.all()) yield { id: String(id) };
  }

  lock(id: string): () => void {
    return this.#path === undefined ? () => {} : lockFile(this.#lockPathOf(id, this.#path), `the session ${id}`);
  }

  async remove(id: string) {
    if (this.#path !== undefined) removeLocks(this.#lockPathOf(id, this.#path), `the session ${id}`);
    this.#inTransaction(() => {
      for (const table of ['entries', 'blobs']) this.#database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
    });
  }

  #lockPathOf(id: string, path: string) {
    return `${path}-${fileNameOf(id)}`;
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
