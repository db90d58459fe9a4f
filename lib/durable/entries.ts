import { createHash } from 'node:crypto';

import { journalInvalid, limitReached, storeFailed } from './errors';
import { asyncSlices } from '../contract/budget';
import type { NativeJournal } from '../../native';
import type { JournalStore } from './store';

// What a store gets: each entry of a journal after one byte that says where the entry is. Large entries are blobs, so
// that a store can keep them elsewhere.

/** Entries from this size on are blobs: 64 KiB. */
const MIN_BLOB_BYTES = 64 << 10;
const INLINE = 0;
const BLOB = 1;

/** Entries that the native side has recorded. */
export interface Batch {
  /** the number of the first */
  first: number;
  entries: Uint8Array[];
  /** whether answers of tools are among them */
  answers: boolean;
  /** whether the end of a run is among them */
  ends: boolean;
}

/** Where the native side writes a batch. It is read before another one is written. 16 KiB. */
const ROOM = Buffer.allocUnsafeSlow(16 << 10);

/** @returns the entries that were recorded since the last call, if there are any */
export function takeEntries(journal: NativeJournal): Batch | undefined {
  let bytes = ROOM;
  let end = journal.take(bytes);
  while (end < 0) {
    bytes = Buffer.allocUnsafeSlow(-end);
    end = journal.take(bytes);
  }
  if (end === 0) return undefined;
  // The room is written over. A larger batch has its own bytes.
  if (bytes === ROOM) bytes = Buffer.from(bytes.subarray(0, end));
  const first = bytes.readDoubleLE(0);
  const flags = bytes.readUInt32LE(8);
  const entries = [];
  for (let at = 12; at < end;) {
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    entries.push(bytes.subarray(start, at));
  }
  return { first, entries, answers: (flags & 1) !== 0, ends: (flags & 2) !== 0 };
}

/** @returns the number of entries that the session has now; a promise unless the store is done */
export function appendEntries(
  store: JournalStore,
  id: string,
  after: number,
  entries: readonly Uint8Array[],
  sync: boolean,
): number | Promise<number> {
  const blobs: Promise<void>[] = [];
  const packed = entries.map((entry) => {
    const { bytes, kept } = packedEntry(store, id, entry);
    if (kept !== undefined) blobs.push(kept);
    return bytes;
  });
  if (blobs.length === 0) return store.append(id, after, packed, { sync });
  return Promise.all(blobs).then(() => store.append(id, after, packed, { sync }));
}

/** Makes a session of a whole journal, which may be large. All of it survives a loss of power. */
export async function appendInSlices(store: JournalStore, id: string, entries: readonly Uint8Array[]): Promise<void> {
  const pause = asyncSlices();
  const packed: Uint8Array[] = [];
  for (const entry of entries) {
    const { bytes, kept } = packedEntry(store, id, entry);
    packed.push(bytes);
    await kept;
    await pause();
  }
  await store.append(id, 0, packed, { sync: true });
}

/**
 * Hands over all entries of a session to the native side.
 *
 * @returns how many they are, and their size
 * @throws {ExecutorError} `ERR_JOURNAL_INVALID` or `ERR_JOURNAL_LIMIT`
 */
export async function readEntries(
  store: JournalStore,
  id: string,
  journal: NativeJournal,
  maxBytes: number,
): Promise<{ count: number; bytes: number }> {
  const pause = asyncSlices();
  let [count, bytes] = [0, 0];
  try {
    for await (const packed of store.read(id)) {
      const entry = await unpacked(store, id, packed, count);
      count++;
      bytes += entry.byteLength;
      if (bytes > maxBytes) throw limitReached(maxBytes);
      journal.add(entry);
      await pause();
    }
  } catch (error) {
    throw storeFailed(error);
  }
  return { count, bytes };
}

/**
 * Claims a session, if the store has claims.
 *
 * @throws {ExecutorError} `ERR_JOURNAL_CONFLICT`, or `ERR_JOURNAL_INVALID` if the store fails
 */
export async function lockSession(store: JournalStore, id: string) {
  try {
    return await store.lock?.(id);
  } catch (error) {
    throw storeFailed(error);
  }
}

async function unpacked(store: JournalStore, id: string, packed: Uint8Array, number: number) {
  const entry = packed.subarray(1);
  if (packed[0] === INLINE) return entry;
  const digest = Buffer.from(entry);
  if (packed[0] !== BLOB || digest.length !== 32) throw journalInvalid('form', number, 'an entry has an unknown form');
  const blob = await store.getBlob?.(id, digest.toString('hex'));
  if (blob === undefined) throw journalInvalid('form', number, 'a large value is missing');
  if (!digestOf(blob).equals(digest)) throw journalInvalid('form', number, 'a large value was changed');
  return blob;
}

/** What the store gets of an entry. `kept`: its large value is being stored. */
function packedEntry(store: JournalStore, id: string, entry: Uint8Array): { bytes: Uint8Array; kept?: Promise<void> } {
  if (entry.byteLength < MIN_BLOB_BYTES || store.putBlob === undefined) return { bytes: marked(INLINE, entry) };
  const digest = digestOf(entry);
  const kept = store.putBlob(id, digest.toString('hex'), entry);
  return { bytes: marked(BLOB, digest), ...(kept !== undefined && { kept }) };
}

function marked(mark: number, bytes: Uint8Array) {
  const packed = Buffer.allocUnsafe(1 + bytes.byteLength);
  packed[0] = mark;
  packed.set(bytes, 1);
  return packed;
}

function digestOf(bytes: Uint8Array) {
  return createHash('sha256').update(bytes).digest();
}
