import { performance, setImmediate } from '../contract/clock';
import { SliceReader, isInSlices } from './slices';
import { decode } from './transfer';
import type { Foreign } from '../contract/foreign';
import type { RunScope } from '../contract/run-scope';

// Decides when values of guests are read. The host's thread has other work to do, so all executors of the process share
// one slice of each turn of its event loop.

/** Bytes that may be read in a turn of the loop before the clock is read: 64 KiB. */
const MAX_BYTES = 64 << 10;
/** Time that reading may take in one turn of the loop. */
const SLICE_MS = 10;

export interface Reading {
  wire: Uint8Array;
  reader?: SliceReader;
  scope?: RunScope;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const waiting: Reading[] = [];
/** Bytes read since the last turn of the loop that this file has observed. */
let spent = 0;
/** Whether reading has used its slice of this turn. */
let isSliceTaken = false;

/**
 * Whether `received` may be read immediately, by `valueOf` or `readArguments`. It then counts as read.
 *
 * @param received from the native side
 */
export function mayReadNow(received: unknown) {
  if (!ArrayBuffer.isView(received)) return true;
  const wire = received as Uint8Array;
  if (spent + wire.length > MAX_BYTES || isInSlices(wire)) return false;
  spent += wire.length;
  return true;
}

/**
 * Reads a serialized value, which may take several turns of the loop.
 *
 * @param scope when it has ended, nobody needs the value: the promise stays unsettled
 */
export function readInSlices(wire: Uint8Array, scope?: RunScope): Promise<Foreign> {
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
    const reading = waiting.shift() as Reading;
    if (reading.scope?.isOver) continue;
    try {
      if (isRead(reading, end)) continue;
      // Other readings come first.
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

function isRead(reading: Reading, end: number) {
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
