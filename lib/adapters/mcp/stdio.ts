import { MAX_LINE_BYTES, readLine, refusalOfLong } from './messages';
import { serializeMessage } from '../../bundled/mcp';
import { performance, setImmediate, setTimeout } from '../../contract/clock';
import type { Foreign } from '../../contract/foreign';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Readable, Writable } from 'node:stream';
import type { Read } from './messages';

/** Bytes that are kept from each end of a line that is too long. One end contains the request's number. */
const KEPT_BYTES = 1_024;

/** Time in one turn of the event loop for messages of the peer. The peer decides how many it sends. */
const SLICE_MS = 5;

export type Line = { text: string; isTooLong: boolean };

/**
 * Speaks the protocol over two streams, with one message per line. The SDK's transport is not used, because it ends
 * when a line is too long and ignores lines that are not messages. This transport answers with an error and continues.
 */
export class StdioTransport {
  #input;
  #output;
  #lines = new LineReader();
  /** Chunks whose lines have not been handled yet. The stream is paused meanwhile. */
  #waiting: Generator<Line, undefined>[] = [];
  /** A line that precedes these chunks. */
  #held: Line | undefined;
  #isTaking = false;
  #isClosed = false;
  /** Resolves when the output accepts more data. */
  #drained: Promise<void> | undefined;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onclose: (() => void) | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start() {
    this.#input.on('data', this.#take);
    this.#input.on('error', this.#fail);
  }

  async send(message: JSONRPCMessage) {
    if (this.#output.write(serializeMessage(message))) return;
    this.#drained ??= new Promise((resolve) => {
      this.#output.once('drain', () => {
        this.#drained = undefined;
        resolve();
      });
    });
    await this.#drained;
  }

  async close() {
    this.#isClosed = true;
    this.#waiting = [];
    this.#input.off('data', this.#take);
    this.#input.off('error', this.#fail);
    this.#input.pause();
    this.onclose?.();
  }

  /**
   * The number of bytes that the peer has not read.
   *
   * @protected
   */
  get unsentBytes() {
    return this.#output.writableLength;
  }

  #take = (chunk: Buffer) => {
    this.#waiting.push(this.#lines.read(chunk));
    if (!this.#isTaking) this.#takeLines();
  };

  /** Processes lines for a short time, and the rest in later turns of the event loop. */
  #takeLines() {
    const end = performance.now() + SLICE_MS;
    const isResumed = this.#isTaking;
    this.#isTaking = true;
    for (let line = this.#nextLine(), isFirst = true; line !== undefined; line = this.#nextLine(), isFirst = false) {
      const isLate = !isFirst && performance.now() >= end;
      const later = isLate ? undefined : this.#takeLine(line);
      if (isLate) this.#held = line;
      else if (later === undefined) continue;
      this.#input.pause();
      const goOn = () => this.#takeLines();
      if (later === undefined) setImmediate(goOn);
      else if (typeof later === 'number') setTimeout(goOn, later);
      else void later.then(goOn);
      return;
    }
    this.#isTaking = false;
    if (isResumed && !this.#isClosed) this.#input.resume();
  }

  #nextLine(): Line | undefined {
    if (this.#held !== undefined) {
      const line = this.#held;
      this.#held = undefined;
      return line;
    }
    for (; this.#waiting.length > 0; this.#waiting.shift()) {
      const next = this.#waiting[0].next();
      if (!next.done) return next.value;
    }
    return undefined;
  }

  /** @returns when the next line may be handled: a promise, a number of milliseconds, or undefined for immediately */
  #takeLine({ text, isTooLong }: Line): Promise<void> | number | undefined {
    if (this.#isClosed || text.trim() === '') return undefined;
    try {
      const read = isTooLong ? { refusal: refusalOfLong(text), isUnreadable: true } : readLine(text);
      if (!(read instanceof Promise)) return this.#deliver(read, text.length);
      return read.then((later) => void this.#deliver(later, text.length)).catch(this.#fail);
    } catch (error) {
      this.#fail(error as Error);
      return this.delayAfter();
    }
  }

  #deliver({ message, refusal, isUnreadable = false }: Read, chars: number) {
    if (this.#isClosed) return undefined;
    if (message === undefined) this.refuse(refusal, isUnreadable);
    else if (this.admits(message, chars)) this.onmessage?.(message);
    return this.delayAfter(message);
  }

  /**
   * Whether a message is handled.
   *
   * @protected
   * @param _chars length of the message in characters
   */
  admits(_message: JSONRPCMessage, _chars: number) {
    return true;
  }

  /**
   * The delay in milliseconds before the next line may be handled. Undefined for no delay.
   *
   * @protected
   * @param _message the message that was handled; undefined for a line that was not a message
   */
  delayAfter(_message?: JSONRPCMessage): number | undefined {
    return undefined;
  }

  /**
   * @protected
   * @param _isUnreadable whether the line was a message that takes too much to read; otherwise it was not a message
   */
  refuse(refusal: Foreign, _isUnreadable: boolean) {
    void this.send(refusal);
  }

  #fail = (error: Error) => this.onerror?.(error);
}

/** Splits a stream of bytes into lines. Time and memory are linear in the maximum length of a line. */
export class LineReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether the line that has not ended is too long. */
  get isTooLong() {
    return this.#bytes > MAX_LINE_BYTES;
  }

  /**
   * Yields the lines that end in a chunk. If a line is too long, its text consists of its two ends.
   *
   * @param withEmpty whether empty lines count
   */
  *read(chunk: Buffer, withEmpty = false): Generator<Line, undefined> {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      const isEmpty = this.#bytes === 0 && end === from;
      if (!isEmpty) this.#add(chunk.subarray(from, end));
      from = end + 1;
      if (isEmpty && !withEmpty) continue;
      const isTooLong = this.#bytes > MAX_LINE_BYTES;
      const text = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#bytes = 0;
      yield { text, isTooLong };
    }
    this.#add(chunk.subarray(from));
  }

  /** @param part part of a line */
  #add(part: Buffer) {
    this.#bytes += part.length;
    this.#chunks.push(part);
    if (this.#bytes <= MAX_LINE_BYTES) return;
    const held = Buffer.concat(this.#chunks);
    this.#chunks = [Buffer.concat([held.subarray(0, KEPT_BYTES), held.subarray(-KEPT_BYTES)])];
  }
}
