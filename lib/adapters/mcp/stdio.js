// @ts-check
'use strict';

const { MAX_LINE_BYTES, readLine, refusalOfLong } = require('./messages');
const { serializeMessage } = require('../../bundled/mcp');
const { performance, setImmediate, setTimeout } = require('../../contract/clock');

/** Of a line that is too long its ends are kept, one of which has the number of the request. */
const KEPT_BYTES = 1_024;

/** Time of one turn of the event loop for what the other side says: it decides how much that is. */
const SLICE_MS = 5;

/** @typedef {{ text: string, isTooLong: boolean }} Line */
/** @typedef {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} JSONRPCMessage */

/**
 * The protocol over two streams, a message per line. Not the SDK's own: that one ends when a line is too long and is silent
 * about one that is no message, where this one answers with an error and goes on.
 */
class StdioTransport {
  #input;
  #output;
  #lines = new LineReader();
  /** Chunks whose lines are still to be taken; the stream is paused meanwhile. */
  /** @type {Generator<Line, undefined>[]} */
  #waiting = [];
  /** A line that comes before them. @type {Line | undefined} */
  #held;
  #isTaking = false;
  #isClosed = false;
  /** Resolves when the output takes more. */
  /** @type {Promise<void> | undefined} */
  #drained;
  /** @type {((message: JSONRPCMessage) => void) | undefined} */
  onmessage;
  /** @type {((error: Error) => void) | undefined} */
  onerror;
  /** @type {(() => void) | undefined} */
  onclose;

  /**
   * @param {import('node:stream').Readable} input
   * @param {import('node:stream').Writable} output
   */
  constructor(input, output) {
    this.#input = input;
    this.#output = output;
  }

  async start() {
    this.#input.on('data', this.#take);
    this.#input.on('error', this.#fail);
  }

  /** @param {JSONRPCMessage} message */
  async send(message) {
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
   * Bytes that the other side has not read.
   *
   * @protected
   */
  get unsentBytes() {
    return this.#output.writableLength;
  }

  #take = (/** @type {Buffer} */ chunk) => {
    this.#waiting.push(this.#lines.read(chunk));
    if (!this.#isTaking) this.#takeLines();
  };

  /** Takes lines for a moment, and the rest in later turns of the event loop. */
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

  /** @returns {Line | undefined} */
  #nextLine() {
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

  /**
   * @param {Line} line
   * @returns {Promise<void> | number | undefined} when the next one may be taken: a promise or milliseconds, if not now
   */
  #takeLine({ text, isTooLong }) {
    if (this.#isClosed || text.trim() === '') return undefined;
    try {
      const read = isTooLong ? { refusal: refusalOfLong(text), isUnreadable: true } : readLine(text);
      if (!(read instanceof Promise)) return this.#deliver(read, text.length);
      return read.then((later) => void this.#deliver(later, text.length)).catch(this.#fail);
    } catch (error) {
      this.#fail(/** @type {Error} */ (error));
      return this.delayAfter();
    }
  }

  /**
   * @param {import('./messages').Read} read
   * @param {number} chars
   */
  #deliver({ message, refusal, isUnreadable = false }, chars) {
    if (this.#isClosed) return undefined;
    if (message === undefined) this.refuse(refusal, isUnreadable);
    else if (this.admits(message, chars)) this.onmessage?.(message);
    return this.delayAfter(message);
  }

  /**
   * Whether a message is for anybody.
   *
   * @protected
   * @param {JSONRPCMessage} _message
   * @param {number} _chars that it has
   */
  admits(_message, _chars) {
    return true;
  }

  /**
   * Milliseconds until the next line may be taken; undefined: none.
   *
   * @protected
   * @param {JSONRPCMessage} [_message] that was taken; undefined: what was none
   * @returns {number | undefined}
   */
  delayAfter(_message) {
    return undefined;
  }

  /**
   * @protected
   * @param {any} refusal
   * @param {boolean} _isUnreadable whether it was a message that takes too much to read; else it was none
   */
  refuse(refusal, _isUnreadable) {
    void this.send(refusal);
  }

  #fail = (/** @type {Error} */ error) => this.onerror?.(error);
}

/** Cuts a stream of bytes into lines. Time and memory are linear in what one line may have. */
class LineReader {
  /** @type {Buffer[]} */
  #chunks = [];
  #bytes = 0;

  /**
   * The lines that a chunk ends. Of one that is too long the text is its ends.
   *
   * @param {Buffer} chunk
   * @returns {Generator<Line, undefined>}
   */
  *read(chunk) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      const isEmpty = this.#bytes === 0 && end === from;
      if (!isEmpty) this.#add(chunk.subarray(from, end));
      from = end + 1;
      if (isEmpty) continue;
      const isTooLong = this.#bytes > MAX_LINE_BYTES;
      const text = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#bytes = 0;
      yield { text, isTooLong };
    }
    this.#add(chunk.subarray(from));
  }

  /** @param {Buffer} part of a line */
  #add(part) {
    this.#bytes += part.length;
    this.#chunks.push(part);
    if (this.#bytes <= MAX_LINE_BYTES) return;
    const held = Buffer.concat(this.#chunks);
    this.#chunks = [Buffer.concat([held.subarray(0, KEPT_BYTES), held.subarray(-KEPT_BYTES)])];
  }
}

module.exports = { StdioTransport };
