import { sessionOf } from './subjects';
import type { Connection } from './connection';
import type { WaitingNote } from '../store';
import type { WaitingSession } from './types';

/** Most calls of a session that the list names, so that an entry fits into a message. */
const MAX_CALLS = 1_000;

/** The sessions that wait, in a bucket of key and value. */
export class WaitingList {
  #connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param session the id, as a key can have it */
  async set(session: string, note: WaitingNote | undefined): Promise<void> {
    await this.#connection.attempt(async ({ waiting }) => {
      if (note !== undefined) {
        const calls = note.calls.slice(0, MAX_CALLS);
        await waiting.put(session, JSON.stringify({ since: new Date().toISOString(), calls }));
      } else if ((await waiting.get(session))?.operation === 'PUT') {
        await waiting.purge(session);
      }
    });
  }

  async *list(): AsyncIterable<WaitingSession> {
    const keys = await this.#connection.attempt(async ({ waiting }) => {
      const found: string[] = [];
      for await (const key of await waiting.keys()) found.push(key);
      return found;
    });
    for (const key of keys) {
      const entry = await this.#connection.attempt(({ waiting }) => waiting.get(key));
      const id = sessionOf(key);
      const session = id !== undefined && entry?.operation === 'PUT' ? waitingOf(id, entry.value) : undefined;
      if (session !== undefined) yield session;
    }
  }

  async *watch(signal: AbortSignal | undefined): AsyncIterable<WaitingSession | { id: string; calls: undefined }> {
    if (signal?.aborted) return;
    const changes = await this.#connection.attempt(({ waiting }) => waiting.watch());
    const stop = () => changes.stop();
    signal?.addEventListener('abort', stop);
    try {
      for await (const { key, operation, value } of changes) {
        const id = sessionOf(key);
        if (id === undefined) continue;
        const session = operation === 'PUT' ? waitingOf(id, value) : { id, calls: undefined };
        if (session !== undefined) yield session;
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }
}

/** @returns undefined for what this package did not write */
function waitingOf(id: string, value: Uint8Array): WaitingSession | undefined {
  try {
    const { since, calls } = JSON.parse(Buffer.from(value).toString('utf8')) as Partial<WaitingSession>;
    if (typeof since !== 'string' || !Array.isArray(calls)) return undefined;
    const named = calls.filter((call) => typeof call?.key === 'string' && typeof call.name === 'string');
    return {
      id,
      since,
      calls: named.map(({ key: call, name, isInDoubt }) => ({ key: call, name, isInDoubt: isInDoubt === true })),
    };
  } catch {
    return undefined;
  }
}
