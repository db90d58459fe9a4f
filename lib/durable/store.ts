import { errorOf } from '../contract/errors';
import type { ExecutorError } from '../contract/errors';

/**
 * Where journals are kept. An entry is a sequence of bytes that the store does not interpret. Entries of a session are
 * numbered from 0, and none is ever changed.
 *
 * `memoryStore()`, `fileStore()`, `sqliteStore()` and `natsStore()` implement it. Other stores can implement it too, on
 * a database or an object store.
 */
export interface JournalStore {
  /** The entries of a session in order, from number `from` on (default 0); none if the session does not exist. */
  read(id: string, from?: number): AsyncIterable<Uint8Array>;
  /**
   * Adds entries to a session that has exactly `after` of them, all or none. Otherwise it fails with an error whose
   * `code` is `"ERR_JOURNAL_CONFLICT"`: another host has written meanwhile. {@link journalConflict} makes it.
   *
   * @param how.sync whether the entries must survive a loss of power, and not only the end of this process
   * @returns the number of entries that the session has now. Without a promise, the session goes on immediately.
   */
  append(id: string, after: number, entries: readonly Uint8Array[], how?: { sync: boolean }): number | Promise<number>;
  /** Keeps a large part of an entry, by its digest. Absent: large entries are kept whole. */
  putBlob?(id: string, digest: string, bytes: Uint8Array): void | Promise<void>;
  getBlob?(id: string, digest: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** All sessions of the store. */
  list(): AsyncIterable<{ id: string }>;
  /** Removes a session with everything that belongs to it. */
  remove(id: string): Promise<void>;
  /**
   * Claims a session for this host. It fails with `"ERR_JOURNAL_CONFLICT"` if another host has it. Absent: the store
   * relies on `append` alone, which is enough.
   *
   * @returns a function that releases the session
   */
  lock?(id: string): (() => void | Promise<void>) | Promise<() => void | Promise<void>>;
  /**
   * Called when a run of a session waits, and with undefined when none does any more, so that the store can list such
   * sessions. The list is a hint: a process can end before the call. Opening the session corrects it.
   */
  noteWaiting?(id: string, note: WaitingNote | undefined): void | Promise<void>;
  /** Whether nothing outlives the process, so that a journal needs no key. */
  readonly isInMemory?: boolean;
}

/** What a run waits for. */
export interface WaitingNote {
  /** The calls that somebody has to decide about. None: a run was interrupted, and `answer({})` continues it. */
  calls: readonly { key: string; name: string; isInDoubt: boolean }[];
}

/** The error of a store for a session that another host has, or has written to. */
export function journalConflict(reason: string, details: Record<string, unknown> = {}): ExecutorError {
  return errorOf('ERR_JOURNAL_CONFLICT', { reason }, { reason, ...details });
}

/** The error of a store whose journal has another number of entries than the caller knows. */
export function unexpectedEntries(id: string, after: number, found: number): Error {
  const reason =
    after === 0
      ? `there is a session ${id}`
      : `another host has written to the session ${id}: it has ${found} entries, not ${after}`;
  return journalConflict(reason, { id, expected: after, actual: found });
}
