import { performance, setImmediate } from '../contract/clock';
import { LongRequest, withoutText } from './long-requests';
import type { Foreign } from '../contract/foreign';
import type { Socket } from 'node:net';

// The DevTools protocol over two pipes: JSON strings, each followed by a zero byte.

/** Time per turn of the event loop for the browser's messages. Guests control how many messages there are. */
const SLICE_MS = 5;
/** Above this number of unread bytes, the pipe is no longer read. The browser then waits, and with it its guests. */
const MAX_WAITING_BYTES = 8 << 20;
/** Maximum bytes of one message. A guest within its limits never causes a message of this size. */
const MAX_MESSAGE_BYTES = 512 << 20;
/**
 * Maximum bytes of a message that reports a request, because pages may send any amount. A longer message is delivered
 * without its body.
 */
const MAX_REQUEST_BYTES = 128 << 20;

export type Listener = (method: string, params: Foreign) => void;

export type Pending = {
  resolve: (result: Foreign) => void;
  reject: (error: Error) => void;
  session: string | undefined;
};

/** Rejection of a command that failed, or that will never be answered. */
export class ProtocolError extends Error {}

export class Connection {
  #writable;
  #readable;
  #pending: Map<number, Pending> = new Map();
  #listeners: Map<string | undefined, Listener> = new Map();
  #nextId = 1;
  /** Parts of a message that is not complete. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** Set if the parts belong to a request that is too long. In this case they hold only the end of it. */
  #long: LongRequest | undefined;
  /** Complete messages that wait to be delivered. */
  #messages: Buffer[] = [];
  #messageBytes = 0;
  #willRead = false;
  #isClosed = false;
  #onClose: (() => void) | undefined;

  /** @param onClose called once */
  constructor(writable: Socket, readable: Socket, onClose: () => void) {
    this.#writable = writable;
    this.#readable = readable;
    this.#onClose = onClose;
    readable.on('data', (chunk) => this.#take(chunk));
    for (const stream of [writable, readable]) {
      stream.on('error', () => this.close());
      stream.on('close', () => this.close());
    }
  }

  /** @param session of a target; by default the browser's */
  send(method: string, params: object, session?: string): Promise<Foreign> {
    if (this.#isClosed) return Promise.reject(new ProtocolError('the browser has ended'));
    const id = this.#nextId++;
    this.#writable.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, session }));
  }

  /** For commands whose answer is not needed. */
  post(method: string, params: object, session?: string) {
    this.send(method, params, session).catch(() => {});
  }

  listen(session: string | undefined, listener: Listener) {
    this.#listeners.set(session, listener);
  }

  /** The target of a session has ended. Its later messages are dropped. */
  forget(session: string) {
    this.#listeners.delete(session);
    for (const [id, pending] of this.#pending) {
      if (pending.session !== session) continue;
      this.#pending.delete(id);
      pending.reject(new ProtocolError('the target is gone'));
    }
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#readable.destroy();
    this.#writable.destroy();
    for (const { reject } of this.#pending.values()) reject(new ProtocolError('the browser has ended'));
    this.#pending.clear();
    this.#onClose?.();
    this.#listeners.clear();
  }

  get isClosed() {
    return this.#isClosed;
  }

  /** Lets the process exit while the connection is open. */
  unref() {
    this.#readable.unref();
    this.#writable.unref();
  }

  #take(chunk: Buffer) {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      this.#parts.push(chunk.subarray(from, end));
      const message = this.#whole();
      this.#messages.push(message);
      this.#messageBytes += message.length;
      this.#parts = [];
      this.#partBytes = 0;
      this.#long = undefined;
      from = end + 1;
    }
    if (from < chunk.length) {
      const before = this.#partBytes;
      this.#parts.push(chunk.subarray(from));
      this.#partBytes += chunk.length - from;
      if (before <= MAX_REQUEST_BYTES && this.#partBytes > MAX_REQUEST_BYTES) this.#long = LongRequest.of(this.#parts);
      if (this.#long !== undefined) this.#parts = LongRequest.tailOf(this.#parts);
      else if (this.#partBytes > MAX_MESSAGE_BYTES) return this.close();
    }
    if (this.#messageBytes > MAX_WAITING_BYTES) this.#readable.pause();
    if (!this.#willRead) this.#read();
  }

  #whole() {
    if (this.#long !== undefined) return this.#long.message(this.#parts);
    return this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
  }

  /**
   * Delivers messages for a short time, and the rest in later turns of the event loop, so that timers run in between.
   */
  #read() {
    const end = performance.now() + SLICE_MS;
    let taken = 0;
    while (taken < this.#messages.length && !this.#isClosed) {
      const message = this.#messages[taken++];
      this.#messageBytes -= message.length;
      this.#dispatch(JSON.parse(withoutText(message).toString('utf8')));
      if (performance.now() > end) break;
    }
    this.#messages = taken === this.#messages.length ? [] : this.#messages.slice(taken);
    this.#willRead = this.#messages.length > 0 && !this.#isClosed;
    if (this.#willRead) {
      setImmediate(() => this.#read());
    } else if (!this.#isClosed) {
      this.#readable.resume();
    }
  }

  #dispatch({ id, method, params, result, error, sessionId }: Foreign) {
    if (id === undefined) return this.#listeners.get(sessionId)?.(method, params);
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (error === undefined) pending.resolve(result);
    else pending.reject(new ProtocolError(error.message));
  }
}

/** A process of the browser, as the protocol's domain `SystemInfo` describes it. */
export interface BrowserProcess {
  type: string;
  id: number;
  cpuTime: number;
}

export async function processesOf(connection: Connection): Promise<BrowserProcess[]> {
  const { processInfo } = await connection.send('SystemInfo.getProcessInfo', {});
  return processInfo;
}
