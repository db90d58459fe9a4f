import { unexpectedEntries } from './store';
import type { JournalStore } from './store';

/** A store in the memory of this process. Its journals need no keys. */
export function memoryStore(): JournalStore {
  return new MemoryStore();
}

class MemoryStore implements JournalStore {
  readonly isInMemory = true;
  #sessions: Map<string, Uint8Array[]> = new Map();

  async *read(id: string, from: number = 0) {
    yield* (this.#sessions.get(id) ?? []).slice(from);
  }

  append(id: string, after: number, entries: readonly Uint8Array[]) {
    const known = this.#sessions.get(id) ?? [];
    if (known.length !== after) throw unexpectedEntries(id, after, known.length);
    this.#sessions.set(id, known);
    for (const entry of entries) known.push(Uint8Array.from(entry));
    return known.length;
  }

  async *list() {
    for (const id of [...this.#sessions.keys()]) yield { id };
  }

  async remove(id: string) {
    this.#sessions.delete(id);
  }
}
