// @ts-check
'use strict';

const { deserializeMessage, serializeMessage } = require('../../bundled/mcp');

/** Bytes of one message: as many as the SDK takes. */
const MAX_LINE_BYTES = 10 * (1 << 20);
/** Of a longer one its ends are kept, one of which has the number of the request. */
const KEPT_BYTES = 1_024;
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,200}")\s*`;
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?${ID}[,}]`);
const ID_AT_END = new RegExp(String.raw`,\s*${ID}\}\s*$`);
/** Of JSON-RPC: an invalid request. */
const INVALID_REQUEST = -32_600;

/** @typedef {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} JSONRPCMessage */

/**
 * The protocol over two streams, a message per line. Not the SDK's own: that one ends when a line is too long, where this one
 * answers with an error and goes on.
 */
class StdioTransport {
  #input;
  #output;
  #lines = new LineReader();
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
    await new Promise((resolve) => this.#output.once('drain', resolve));
  }

  async close() {
    this.#input.off('data', this.#take);
    this.#input.off('error', this.#fail);
    this.#input.pause();
    this.onclose?.();
  }

  #take = (/** @type {Buffer} */ chunk) => {
    for (const line of this.#lines.read(chunk)) {
      if (line.isTooLong) {
        void this.send(refusal(line.text));
        continue;
      }
      try {
        this.onmessage?.(deserializeMessage(line.text));
      } catch (error) {
        this.#fail(/** @type {Error} */ (error));
      }
    }
  };

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

/**
 * The answer to a message that is too long.
 *
 * @param {string} ends of the message
 * @returns {any}
 */
function refusal(ends) {
  const [, id] = ID_AT_START.exec(ends) ?? ID_AT_END.exec(ends) ?? [];
  const message = `the message is too long: a line may have ${MAX_LINE_BYTES} bytes`;
  return {
    jsonrpc: '2.0',
    ...(id !== undefined && { id: JSON.parse(id) }),
    error: { code: INVALID_REQUEST, message },
  };
}

module.exports = { StdioTransport };
