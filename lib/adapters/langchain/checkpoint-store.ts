import { randomUUID } from 'node:crypto';

import { describe } from '../../contract/describe';
import { unexpectedEntries } from '../../durable/store';
import type { Foreign } from '../../contract/foreign';
import type { JournalStore } from '../../durable/store';

// Each session is a thread. LangGraph's checkpointers have no conditional append, but each keeps the first of the
// writes that a task makes under one index. So entries are the write of a task whose id is the number of entries before
// them. Of two hosts that append after the same entry, one finds the write of the other.

/** What the store uses of a `BaseCheckpointSaver` of LangGraph. */
export interface Checkpointer {
  getTuple(config: Foreign): Promise<Foreign>;
  list(config: Foreign, options?: Foreign): AsyncIterable<Foreign>;
  put(config: Foreign, checkpoint: Foreign, metadata: Foreign, newVersions: Foreign): Promise<unknown>;
  putWrites(config: Foreign, writes: Foreign[], taskId: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
}

/** The entries of one `append`. */
interface Batch {
  /** Distinguishes the appends of hosts. */
  token: string;
  /** In base64, because some checkpointers keep JSON. */
  entries: string[];
}

/** Where the last known batch of a session begins, and how many entries the session has with it. */
interface Known {
  start: number;
  end: number;
}

const METHODS = ['getTuple', 'list', 'put', 'putWrites', 'deleteThread'];
const SOURCE = 'ses-executor';
const CHANNEL = 'journal';
/** The task of the first write of each page. */
const MARK = 'mark';
/** Checkpointers return all writes of a checkpoint. So the batches that begin in so many entries share one. */
const PAGE_ENTRIES = 64;
/** How many sessions a store remembers. */
const MAX_KNOWN = 1_000;

/** The pages that were made through a checkpointer, by thread. Pages are made one after the other. */
interface Pages {
  made: Map<string, Set<number>>;
  last: Promise<unknown>;
  /** Whether the checkpointer was seen to keep first writes. */
  keepsFirst: boolean;
}
const pagesOf: WeakMap<Checkpointer, Pages> = new WeakMap();

/**
 * A store that keeps journals of `DurableSession` in a checkpointer of LangGraph, next to the threads of graphs. Each
 * session is its own thread, `ses-executor-<id>`.
 *
 * The checkpointer must keep the first write of a task, as those for memory, SQLite, Postgres, MongoDB and Redis do.
 * The first append checks that, and fails if it does not.
 *
 * @throws `TypeError` if `checkpointer` is not a checkpointer
 *
 * @example
 * ```js
 * const checkpointer = new MemorySaver();
 * const store = checkpointStore(checkpointer);
 * const session = await DurableSession.open('order-7', { store, keys: { sign: secret } });
 * ```
 */
export function checkpointStore(checkpointer: Checkpointer): JournalStore {
  if (METHODS.some((name) => typeof Object(checkpointer)[name] !== 'function')) {
    throw new TypeError(`checkpointer must be a checkpointer of LangGraph, got ${describe(checkpointer)}`);
  }
  return new CheckpointStore(checkpointer);
}

class CheckpointStore implements JournalStore {
  #checkpointer: Checkpointer;
  #known: Map<string, Known> = new Map();

  constructor(checkpointer: Checkpointer) {
    this.#checkpointer = checkpointer;
  }

  async *read(id: string, from: number = 0) {
    for await (const { start, entries } of this.#batches(id)) {
      for (const entry of entries.slice(Math.max(0, from - start))) yield Uint8Array.from(Buffer.from(entry, 'base64'));
    }
  }

  async append(id: string, after: number, entries: readonly Uint8Array[]): Promise<number> {
    if (!(await this.#isAt(id, after))) throw unexpectedEntries(id, after, (await this.#end(id)).end);
    if (entries.length === 0) return after;
    const page = pageOf(after);
    await this.#makePage(id, page);
    const batch = { token: randomUUID(), entries: entries.map((entry) => Buffer.from(entry).toString('base64')) };
    await this.#checkpointer.putWrites(configOf(id, page), [[CHANNEL, batch]], String(after));
    const written = (await this.#page(id, page)).get(String(after));
    if (written?.token !== batch.token) {
      this.#known.delete(id);
      throw unexpectedEntries(id, after, (await this.#end(id)).end);
    }
    const end = after + entries.length;
    this.#remember(id, { start: after, end });
    return end;
  }

  async *list() {
    const seen = new Set();
    for await (const { metadata } of this.#checkpointer.list({ configurable: {} }, { filter: { source: SOURCE } })) {
      const id = metadata?.session;
      if (typeof id !== 'string' || seen.has(id)) continue;
      seen.add(id);
      if ((await this.#end(id)).end > 0) yield { id };
    }
  }

  async remove(id: string) {
    this.#known.delete(id);
    pagesOf.get(this.#checkpointer)?.made.delete(threadOf(id));
    await this.#checkpointer.deleteThread(threadOf(id));
  }

  /** Whether the session has exactly so many entries, unless another host appends some at this moment. */
  async #isAt(id: string, after: number) {
    const known = this.#known.get(id);
    if (known?.end !== after) return (await this.#end(id)).end === after;
    if (after === 0) return true;
    // Another host may have removed the session.
    const last = (await this.#page(id, pageOf(known.start))).get(String(known.start));
    return last !== undefined && known.start + last.entries.length === after;
  }

  async #end(id: string): Promise<Known> {
    const known = { start: 0, end: 0 };
    for await (const { start, entries } of this.#batches(id)) {
      known.start = start;
      known.end = start + entries.length;
    }
    this.#remember(id, known);
    return known;
  }

  /** The batches of a session. A batch that does not begin where another one ends has lost against that one. */
  async *#batches(id: string): AsyncGenerator<{ start: number; entries: string[] }> {
    for (let [start, number] = [0, -1], page: Map<string, Batch> = new Map(); ;) {
      if (pageOf(start) !== number) {
        number = pageOf(start);
        page = await this.#page(id, number);
      }
      const batch = page.get(String(start));
      // A write without entries would be read for ever.
      if (!Array.isArray(batch?.entries) || batch.entries.length === 0) return;
      yield { start, entries: batch.entries };
      start += batch.entries.length;
    }
  }

  /** The writes of a page, by the ids of their tasks. */
  async #page(id: string, page: number): Promise<Map<string, Batch>> {
    const tuple = await this.#checkpointer.getTuple(configOf(id, page));
    const writes: [taskId: string, channel: string, value: Batch][] = tuple?.pendingWrites ?? [];
    return new Map(writes.filter(([, channel]) => channel === CHANNEL).map(([taskId, , value]) => [taskId, value]));
  }

  /** Makes the checkpoint that the writes of a page belong to. */
  async #makePage(id: string, page: number) {
    const pages = pagesOf.get(this.#checkpointer) ?? { made: new Map(), last: Promise.resolve(), keepsFirst: false };
    pagesOf.set(this.#checkpointer, pages);
    const thread = threadOf(id);
    const making = pages.last.then(async () => {
      if (pages.made.get(thread)?.has(page)) return;
      const config = configOf(id, page);
      if ((await this.#checkpointer.getTuple(config)) === undefined) {
        const { thread_id, checkpoint_ns } = config.configurable;
        const checkpoint = { v: 4, id: config.configurable.checkpoint_id, ts: new Date().toISOString() };
        const empty = { channel_values: {}, channel_versions: {}, versions_seen: {} };
        const metadata = { source: SOURCE, step: page, parents: {}, session: id };
        await this.#checkpointer.put(
          { configurable: { thread_id, checkpoint_ns } },
          { ...checkpoint, ...empty },
          metadata,
          {},
        );
      }
      // The first write of a checkpoint in memory can replace one that is made at the same time. This one has no
      // effect.
      await this.#mark(config);
      if (!pages.keepsFirst) await this.#refuseOverwriting(id, page, config);
      pages.keepsFirst = true;
      if (pages.made.size >= MAX_KNOWN) pages.made.clear();
      pages.made.set(thread, (pages.made.get(thread) ?? new Set()).add(page));
    });
    pages.last = making.catch(() => {});
    await making;
  }

  #mark(config: Foreign) {
    return this.#checkpointer.putWrites(config, [[CHANNEL, { token: randomUUID(), entries: [] }]], MARK);
  }

  /** @throws {Error} if a second write replaces the first one, because conflicts would not be noticed */
  async #refuseOverwriting(id: string, page: number, config: Foreign) {
    const first = (await this.#page(id, page)).get(MARK);
    await this.#mark(config);
    const second = (await this.#page(id, page)).get(MARK);
    if (first !== undefined && first.token === second?.token) return;
    throw new Error(
      'checkpointStore() needs a checkpointer that keeps the first write of a task; this one replaces it',
    );
  }

  #remember(id: string, known: Known) {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, known);
  }
}

function pageOf(entry: number) {
  return Math.floor(entry / PAGE_ENTRIES);
}

/** Some checkpointers build keys with colons. */
function threadOf(id: string) {
  return `${SOURCE}-${encodeURIComponent(id)}`;
}

function configOf(id: string, page: number) {
  const checkpoint_id = `page-${String(page).padStart(12, '0')}`;
  return { configurable: { thread_id: threadOf(id), checkpoint_ns: '', checkpoint_id } };
}
