// What a message of a journal has: entries that were appended together, so that all or none are there. A head of 25
// bytes, little-endian: the form (1 byte), a number that only this message has (16), the number of the first entry (4)
// and how many there are (4). Then each entry after its length (4), or the SHA-256 of all that, which is a large value
// then.

import { createHash } from 'node:crypto';

import { journalInvalid } from '../errors';

/** The entries of one `append`. */
export interface Batch {
  nonce: string;
  /** The number of the first entry. */
  first: number;
  count: number;
  /** The entries, each after its length; or where they are. */
  body: Uint8Array | { digest: string };
}

const INLINE = 1;
const LARGE = 2;
const NONCE_BYTES = 16;
export const HEAD_BYTES: number = 1 + NONCE_BYTES + 8;
const LENGTH_BYTES = 4;
const DIGEST_BYTES = 32;

/** A copy of the entries, each after its length. */
export function packed(entries: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(entries.reduce((sum, entry) => sum + LENGTH_BYTES + entry.byteLength, 0));
  let at = 0;
  for (const entry of entries) {
    at = bytes.writeUInt32LE(entry.byteLength, at);
    bytes.set(entry, at);
    at += entry.byteLength;
  }
  return bytes;
}

/** @throws {ExecutorError} `ERR_JOURNAL_INVALID` if these are not `count` entries */
export function unpacked(bytes: Uint8Array, { first, count }: Batch): Uint8Array[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= view.length && entries.length < count) {
    const end = at + LENGTH_BYTES + view.readUInt32LE(at);
    if (end > view.length) break;
    entries.push(view.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  if (at !== view.length || entries.length !== count) throw malformed(first);
  return entries;
}

export function encodeBatch({ nonce, first, count, body }: Batch): Buffer {
  const isInline = body instanceof Uint8Array;
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = isInline ? INLINE : LARGE;
  head.write(nonce, 1, 'hex');
  head.writeUInt32LE(first, 1 + NONCE_BYTES);
  head.writeUInt32LE(count, 1 + NONCE_BYTES + 4);
  return Buffer.concat([head, isInline ? body : Buffer.from(body.digest, 'hex')]);
}

/**
 * @param number of the entry that a journal is expected to continue with, for messages
 * @throws {ExecutorError} `ERR_JOURNAL_INVALID`
 */
export function decodeBatch(message: Uint8Array, number: number | undefined): Batch {
  const view = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (view.length < HEAD_BYTES) throw malformed(number);
  const first = view.readUInt32LE(1 + NONCE_BYTES);
  const count = view.readUInt32LE(1 + NONCE_BYTES + 4);
  const body = view.subarray(HEAD_BYTES);
  const head = { nonce: view.toString('hex', 1, 1 + NONCE_BYTES), first, count };
  if (count === 0 || (number !== undefined && first !== number)) throw malformed(number);
  if (view[0] === INLINE) return { ...head, body };
  if (view[0] !== LARGE || body.length !== DIGEST_BYTES) throw malformed(number);
  return { ...head, body: { digest: body.toString('hex') } };
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function malformed(number: number | undefined): Error {
  return journalInvalid('form', number, 'a message of the stream is not part of a journal');
}
