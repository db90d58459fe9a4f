// @ts-check
'use strict';

const { MAX_LINE_BYTES, readLine, refusalOfLong } = require('./messages');
const { serializeMessage } = require('../../bundled/mcp');

/** Of a line that is too long its ends are kept, one of which has the number of the request. */
const KEPT_BYTES = 1_024;

/** @typedef {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} JSONRPCMessage */

/**
 * The protocol over two streams, a message per line. Not the SDK's own: that one ends when a line is too long and is silent
 * about one that is no message, where this one answers with an error and goes on.
 */
class StdioTransport {
  #input;
  #output;
  #lines = new LineReader();
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
    this.#input.off('data', this.#take);
    this.#input.off('error', this.#fail);
    this.#input.pause();
    this.onclose?.();
  }

  #take = (/** @type {Buffer} */ chunk) => {
    for (const line of this.#lines.read(chunk)) {
      try {
        this.#takeLine(line);
      } catch (error) {
        this.#fail(/** @type {Error} */ (error));
      }
    }
  };

  /** @param {{ text: string, isTooLong: boolean }} line */
  #takeLine({ text, isTooLong }) {
    if (text.trim() === '') return;
    const { message, refusal } = isTooLong ? { refusal: refusalOfLong(text) } : readLine(text);
    if (message === undefined) this.refuse(refusal, isTooLong);
    else this.onmessage?.(message);
  }

  /**
   * @protected
   * @param {any} refusal
   * @param {boolean} _isTooLong whether the message was too long; else it was none
   */
  refuse(refusal, _isTooLong) {
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
   * @returns {Generator<{ text: string, isTooLong: boolean }, undefined>}
   */
  *read(chunk) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#add(chunk.subarray(from, end));
      from = end + 1;
      const isTooLong = this.#bytes > MAX_LINE_BYTES;
      const text = Buffer.concat(this.#chunks).toString('utf8').replace(/\r$/, '');
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
