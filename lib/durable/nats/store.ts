import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { makeDisposable } from '../../contract/await-using';
import { clearTimeout, setTimeout } from '../../contract/clock';
import { journalConflict, unexpectedEntries } from '../store';
import { HEAD_BYTES, decodeBatch, digestOf, encodeBatch, malformed, packed, unpacked } from './batches';
import { Blobs } from './blobs';
import { Connection, isWrongSequence } from './connection';
import { checkNatsOptions } from './options';
import { sessionOf, subjectOf } from './subjects';
import { WaitingList } from './waiting-list';
import type { AwaitUsing } from '../../contract/await-using';
import type { WaitingNote } from '../store';
import type { Batch } from './batches';
import type { Open } from './connection';
import type { NatsStore, NatsStoreOptions } from './types';

/**
 * A store on JetStream of NATS. Any number of hosts can use it: each append names the message that it follows, so of
 * two hosts that continue one session, one loses.
 *
 * It needs the packages `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`. The connection is opened by
 * the first operation, and keeps the process alive until `close()`. Operations wait up to `timeoutMs` for a broker that
 * is away.
 *
 * @throws `TypeError` or `RangeError` for wrong options
 */
export function natsStore(options: NatsStoreOptions): NatsStore {
  return new StreamStore(options);
}

/** Where the journal of a session ends. */
interface End {
  /** The number of its last message in the stream; 0 if there is none. */
  sequence: number;
  entries: number;
  /** Of the last message. */
  nonce: string | undefined;
}

const NOTHING: End = { sequence: 0, entries: 0, nonce: undefined };
/** Most sessions whose ends are remembered. */
const MAX_ENDS = 10_000;
/** How many messages are read at once, and how many bytes: 4 MiB. */
const READ_MESSAGES = 256;
const READ_BYTES = 4 << 20;
/** Between attempts to read what a server of a cluster does not have yet. */
const REPLICATION_DELAY_MS = 50;

class StreamStore implements NatsStore {
  #connection;
  #name;
  #blobs;
  #waiting;
  /** By session, the least recently written first. */
  #ends: Map<string, End> = new Map();

  constructor(options: NatsStoreOptions) {
    const settings = checkNatsOptions(options);
    this.#name = settings.name;
    this.#connection = new Connection(settings);
    this.#blobs = new Blobs(this.#connection, `${settings.name}-blobs`);
    this.#waiting = new WaitingList(this.#connection);
  }

  async *read(id: string, from: number = 0) {
    const last = await this.#connection.attempt((open) => this.#lastOf(open, id));
    let [entries, nonce] = [0, ''];
    for (let next = 1; last !== undefined && next <= last.sequence;) {
      for (const { data, seq } of await this.#readFrom(id, next, last.sequence)) {
        const batch = decodeBatch(data, entries);
        const skipped = Math.max(0, from - entries);
        if (skipped < batch.count) yield* (await this.#entriesOf(id, batch)).slice(skipped);
        entries += batch.count;
        next = seq + 1;
        nonce = batch.nonce;
      }
    }
    if (last !== undefined) this.#remember(id, { sequence: last.sequence, entries, nonce });
  }

  async append(id: string, after: number, entries: readonly Uint8Array[]): Promise<number> {
    // Copied before the first promise: the caller may change them.
    const body = packed(entries);
    let end = this.#ends.get(id);
    if (end?.entries !== after) end = await this.#findEnd(id);
    if (end.entries !== after) throw unexpectedEntries(id, after, end.entries);
    if (entries.length === 0) return after;
    const nonce = randomBytes(16).toString('hex');
    const batch = { nonce, first: after, count: entries.length };
    const { maxMessageBytes } = await this.#connection.attempt(async (open) => open);
    const isInline = HEAD_BYTES + body.length <= maxMessageBytes;
    const digest = isInline ? '' : digestOf(body);
    if (!isInline) await this.#blobs.put(subjectOf(id), digest, body);
    const message = encodeBatch({ ...batch, body: isInline ? body : { digest } });
    try {
      await this.#publish(id, message, end, { sequence: 0, entries: after + entries.length, nonce });
    } catch (error) {
      this.#ends.delete(id);
      throw error;
    }
    return after + entries.length;
  }

  async putBlob(id: string, digest: string, bytes: Uint8Array) {
    await this.#blobs.put(subjectOf(id), digest, bytes);
  }

  async getBlob(id: string, digest: string): Promise<Uint8Array | undefined> {
    return this.#blobs.get(subjectOf(id), digest);
  }

  async *list() {
    const { state } = await this.#connection.attempt(({ manager }) =>
      manager.streams.info(this.#name, { subjects_filter: `${this.#name}.*` }),
    );
    for (const subject of Object.keys(state.subjects ?? {})) {
      const id = sessionOf(subject.slice(this.#name.length + 1));
      if (id !== undefined) yield { id };
    }
  }

  async remove(id: string) {
    await this.#waiting.set(subjectOf(id), undefined);
    await this.#blobs.remove(subjectOf(id));
    // The entries last: until they are gone, the session is listed and can be removed again.
    const filter = this.#subjectOf(id);
    await this.#connection.attempt(({ manager }) => manager.streams.purge(this.#name, { filter }));
    this.#ends.delete(id);
  }

  async noteWaiting(id: string, note: WaitingNote | undefined) {
    await this.#waiting.set(subjectOf(id), note);
  }

  async *listWaiting() {
    yield* this.#waiting.list();
  }

  async *watchWaiting(options?: { signal?: AbortSignal | undefined }) {
    yield* this.#waiting.watch(options?.signal);
  }

  async close() {
    await this.#connection.close();
  }

  #subjectOf(id: string) {
    return `${this.#name}.${subjectOf(id)}`;
  }

  /** Stores a message after the one that ends the journal, or fails with a conflict. */
  async #publish(id: string, message: Uint8Array, after: End, next: End) {
    const subject = this.#subjectOf(id);
    await this.#connection.attempt(async (open) => {
      try {
        const expect = { lastSubjectSequence: after.sequence };
        const { seq } = await open.client.publish(subject, message, { timeout: open.requestMs, expect });
        this.#remember(id, { ...next, sequence: seq });
      } catch (error) {
        if (!isWrongSequence(error)) throw error;
        // An earlier attempt may have stored it, of which only the answer was lost.
        const end = await this.#lookAt(open, id);
        if (end.nonce === next.nonce) return;
        if (end.entries !== after.entries) throw unexpectedEntries(id, after.entries, end.entries);
        throw journalConflict(`another host has replaced the session ${id}`, { id });
      }
    });
  }

  async #findEnd(id: string): Promise<End> {
    return this.#connection.attempt((open) => this.#lookAt(open, id));
  }

  async #lookAt(open: Open, id: string): Promise<End> {
    const last = await this.#lastOf(open, id);
    if (last === undefined) {
      this.#ends.delete(id);
      return NOTHING;
    }
    const { first, count, nonce } = decodeBatch(last.data, undefined);
    return this.#remember(id, { sequence: last.sequence, entries: first + count, nonce });
  }

  /** Asks the server that decides about the stream: others may not have the last message yet. */
  async #lastOf({ manager }: Open, id: string) {
    const found = await manager.streams.getMessage(this.#name, { last_by_subj: this.#subjectOf(id) });
    return found === null ? undefined : { sequence: found.seq, data: found.data };
  }

  #remember(id: string, end: End) {
    this.#ends.delete(id);
    this.#ends.set(id, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
    return end;
  }

  /** Some of the messages of a journal, from a number of the stream to another one; at least one. */
  async #readFrom(id: string, from: number, to: number) {
    return this.#connection.attempt(async (open) => {
      const found = await readMessages(open, this.#name, this.#subjectOf(id), from);
      const messages = found.filter(({ seq }) => seq <= to);
      if (messages.length > 0) return messages;
      const last = await this.#lastOf(open, id);
      if (last === undefined || last.sequence < to) {
        throw journalConflict(`another host has removed the session ${id}`, { id });
      }
      await delay(REPLICATION_DELAY_MS);
      throw new NotReplicatedError();
    });
  }

  async #entriesOf(id: string, batch: Batch): Promise<Uint8Array[]> {
    if (batch.body instanceof Uint8Array) return unpacked(batch.body, batch);
    const { digest } = batch.body;
    const bytes = await this.#blobs.get(subjectOf(id), digest);
    if (bytes === undefined || digestOf(bytes) !== digest) throw malformed(batch.first);
    return unpacked(bytes, batch);
  }
}
interface StreamStore extends AwaitUsing {}
makeDisposable(StreamStore.prototype, StreamStore.prototype.close);

/** A server of a cluster does not have all messages yet. */
class NotReplicatedError extends Error {
  override name = 'TimeoutError';
  constructor() {
    super('the server that answers does not have the end of the journal yet');
  }
}

interface Message {
  seq: number;
  data: Uint8Array;
}

/** The next messages of a subject. Ends early if the broker falls silent. */
function readMessages({ manager, requestMs }: Open, stream: string, subject: string, from: number): Promise<Message[]> {
  return new Promise((resolve, reject) => {
    const found: Message[] = [];
    let stop = () => {};
    const end = (error?: Error) => {
      clearTimeout(timer);
      stop();
      if (error === undefined || found.length > 0) resolve(found);
      else reject(error);
    };
    const timer = setTimeout(() => end(new NotReplicatedError()), requestMs);
    const query = { seq: from, next_by_subj: subject, batch: READ_MESSAGES, max_bytes: READ_BYTES };
    const callback = (done: { err?: Error } | null, message: Message) => {
      if (done !== null) return end(done.err);
      timer.refresh();
      found.push({ seq: message.seq, data: message.data });
    };
    manager.direct
      .getBatch(stream, { ...query, callback } as Parameters<typeof manager.direct.getBatch>[1])
      .then((iterator) => {
        stop = () => iterator.stop();
      }, end);
  });
}
