// @ts-check
'use strict';

const { performance, setImmediate } = require('../contract/clock');
const { SliceReader, isInSlices } = require('./slices');
const { decode } = require('./transfer');

// When values of guests are read. The host's thread has other things to do: all executors of the process together take a
// slice of each turn of its event loop.

/** What may be read without a look at the clock until the loop has a turn: 64 KiB of wires. */
const MAX_BYTES = 64 << 10;
/** What one turn of the loop is used for. */
const SLICE_MS = 10;

/**
 * @typedef {object} Reading
 * @property {Uint8Array} wire
 * @property {SliceReader} [reader]
 * @property {import('../contract/run-scope').RunScope} [scope]
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** @type {Reading[]} */
const waiting = [];
/** Bytes that were read since the loop had a turn that this file knows of. */
let spent = 0;
/** Whether this turn of the loop has had its slice. */
let isSliceTaken = false;

/**
 * Whether `received` may be read at once, by `valueOf` or `readArguments`. It then counts as read.
 *
 * @param {any} received from the native side
 */
function mayReadNow(received) {
  if (!ArrayBuffer.isView(received)) return true;
  const wire = /** @type {Uint8Array} */ (received);
  if (spent + wire.length > MAX_BYTES || isInSlices(wire)) return false;
  spent += wire.length;
  return true;
}

/**
 * The value of a wire, which may take several turns of the loop.
 *
 * @param {Uint8Array} wire
 * @param {import('../contract/run-scope').RunScope} [scope] nobody wants the value any more when this has ended: the promise stays
 *   unsettled then
 * @returns {Promise<any>}
 */
function readInSlices(wire, scope) {
  return new Promise((resolve, reject) => {
    waiting.push({ wire, scope, resolve, reject });
    if (!isSliceTaken) readSlice();
  });
}

function readSlice() {
  isSliceTaken = true;
  setImmediate(beginTurn);
  const end = performance.now() + SLICE_MS;
  do {
    const reading = /** @type {Reading} */ (waiting.shift());
    if (reading.scope?.isOver) continue;
    try {
      if (isRead(reading, end)) continue;
      // Others first.
      waiting.push(reading);
    } catch (error) {
      reading.reject(error);
    }
  } while (waiting.length > 0 && performance.now() < end);
}

function beginTurn() {
  isSliceTaken = false;
  spent = 0;
  if (waiting.length > 0) readSlice();
}

/**
 * @param {Reading} reading
 * @param {number} end
 */
function isRead(reading, end) {
  const { wire, resolve } = reading;
  if (!isInSlices(wire)) {
    resolve(decode(wire));
    return true;
  }
  reading.reader ??= new SliceReader(wire);
  if (!reading.reader.read(end)) return false;
  resolve(reading.reader.value);
  return true;
}

module.exports = { mayReadNow, readInSlices };
