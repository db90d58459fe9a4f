import type { Connection, Open } from './connection';

// A large value is a row of chunks, each the last message of its subject, so that writing them again changes nothing.
// The first chunk is written last: a value without it does not exist. It begins with the number of chunks and the
// length.

const HEAD_BYTES = 8;
/** The most bytes of a value: 512 MiB. */
const MAX_BYTES = 512 << 20;
/** How many chunks are on their way at the same time. */
const PARALLEL = 4;

/** Large values of sessions. */
export class Blobs {
  #connection;
  #stream;

  constructor(connection: Connection, stream: string) {
    this.#connection = connection;
    this.#stream = stream;
  }

  async put(session: string, digest: string, bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength > MAX_BYTES)
      throw new RangeError(`a value has ${bytes.byteLength} bytes, and at most ${MAX_BYTES} can be kept`);
    const { maxMessageBytes } = await this.#connection.attempt(async (open) => open);
    const size = maxMessageBytes - HEAD_BYTES;
    const count = Math.max(1, Math.ceil(bytes.byteLength / size));
    const chunkOf = (index: number) => bytes.subarray(index * size, (index + 1) * size);
    await inParallel(count - 1, (index) => this.#putChunk(session, digest, index + 1, chunkOf(index + 1)));
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(count, 0);
    head.writeUInt32LE(bytes.byteLength, 4);
    await this.#putChunk(session, digest, 0, Buffer.concat([head, chunkOf(0)]));
  }

  /** @returns undefined if it is not there, or not whole */
  async get(session: string, digest: string): Promise<Uint8Array | undefined> {
    const first = await this.#getChunk(session, digest, 0);
    if (first === undefined || first.length < HEAD_BYTES) return undefined;
    const [count, length] = [first.readUInt32LE(0), first.readUInt32LE(4)];
    const data = first.subarray(HEAD_BYTES);
    const size = data.length;
    if (length > MAX_BYTES || count !== Math.max(1, Math.ceil(length / Math.max(1, size)))) return undefined;
    // A stranger may have written the first chunk, so nothing is allocated for chunks that are not there.
    const chunks = [data];
    let isWhole = count > 1 || size === length;
    await inParallel(count - 1, async (index) => {
      if (!isWhole) return false;
      const chunk = await this.#getChunk(session, digest, index + 1);
      if (chunk?.length === Math.min(size, length - (index + 1) * size)) chunks[index + 1] = chunk;
      else isWhole = false;
      return isWhole;
    });
    return isWhole ? Buffer.concat(chunks) : undefined;
  }

  async remove(session: string): Promise<void> {
    const filter = `${this.#stream}.${session}.*.*`;
    await this.#connection.attempt(({ manager }) => manager.streams.purge(this.#stream, { filter }));
  }

  async #putChunk(session: string, digest: string, index: number, bytes: Uint8Array) {
    const subject = this.#subjectOf(session, digest, index);
    await this.#connection.attempt(({ client, requestMs }) => client.publish(subject, bytes, { timeout: requestMs }));
    return true;
  }

  async #getChunk(session: string, digest: string, index: number) {
    const subject = this.#subjectOf(session, digest, index);
    const found = await this.#connection.attempt((open) => lastOf(open, this.#stream, subject));
    return found && Buffer.from(found.buffer, found.byteOffset, found.byteLength);
  }

  #subjectOf(session: string, digest: string, index: number) {
    return `${this.#stream}.${session}.${digest}.${index}`;
  }
}

/**
 * The last message of a subject. A server of a cluster that answers directly may not have it yet, so the leader is
 * asked then.
 */
async function lastOf({ manager }: Open, stream: string, subject: string): Promise<Uint8Array | undefined> {
  const query = { last_by_subj: subject };
  const found = (await manager.direct.getMessage(stream, query)) ?? (await manager.streams.getMessage(stream, query));
  return found?.data;
}

/** @param work ends all of it with false */
async function inParallel(count: number, work: (index: number) => Promise<boolean>) {
  let next = 0;
  const worker = async () => {
    while (next < count && (await work(next++)));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, worker));
}
