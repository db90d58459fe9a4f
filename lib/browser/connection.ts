import { performance, setImmediate } from '../contract/clock';
import { LongRequest, withoutText } from './long-requests';
import type { Socket } from 'node:net';

// The DevTools protocol over two pipes: JSON texts, each followed by a zero byte.

/** Time of one turn of the event loop for what the browser says: guests decide how much that is. */
const SLICE_MS = 5;
/** Bytes that wait to be read before the pipe is left alone: the browser waits then, and the guests behind it. */
const MAX_WAITING_BYTES = 8 << 20;
/** Bytes of one message. No message of a guest within its limits is as large. */
const MAX_MESSAGE_BYTES = 512 << 20;
/** The same of one that tells of a request: pages may send what they like. Such a one is told without its body. */
const MAX_REQUEST_BYTES = 128 << 20;

export type Listener = (method: string, params: any) => void;

export type Pending = { resolve: (result: any) => void; reject: (error: Error) => void; session: string | undefined };

/** An answer that says that a command has failed, or that nobody will answer it. */
export class ProtocolError extends Error {}

export class Connection {
  #writable;
  #readable;
  #pending: Map<number, Pending> = new Map();
  #listeners: Map<string | undefined, Listener> = new Map();
  #nextId = 1;
  /** Parts of a message whose end has not come. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** Set if they are of a request that is too long: then they are the end of it. */
  #long: LongRequest | undefined;
  /** Whole messages that wait. */
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

  /** @param session of a target; else the browser's */
  send(method: string, params: object, session?: string): Promise<any> {
    if (this.#isClosed) return Promise.reject(new ProtocolError('the browser has ended'));
    const id = this.#nextId++;
    this.#writable.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, session }));
  }

  /** For commands whose answer nobody waits for. */
  post(method: string, params: object, session?: string) {
    this.send(method, params, session).catch(() => {});
  }

  listen(session: string | undefined, listener: Listener) {
    this.#listeners.set(session, listener);
  }

  /** The target of a session is gone: nothing of it is heard from now on. */
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

  /** The process need not stay for it. */
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

  /** Takes in messages for a moment, and the rest in later turns of the event loop, timers between them. */
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

  #dispatch({ id, method, params, result, error, sessionId }: any) {
    if (id === undefined) return this.#listeners.get(sessionId)?.(method, params);
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (error === undefined) pending.resolve(result);
    else pending.reject(new ProtocolError(error.message));
  }
}
