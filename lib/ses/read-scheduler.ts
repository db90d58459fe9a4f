import { performance, setImmediate } from '../contract/clock';
import { SliceReader, isInSlices } from './slices';
import { decode } from './transfer';
import type { RunScope } from '../contract/run-scope';

// When values of guests are read. The host's thread has other things to do: all executors of the process together take a
// slice of each turn of its event loop.

/** What may be read without a look at the clock until the loop has a turn: 64 KiB of wires. */
const MAX_BYTES = 64 << 10;
/** What one turn of the loop is used for. */
const SLICE_MS = 10;

export interface Reading {
  wire: Uint8Array;
  reader?: SliceReader;
  scope?: RunScope;
  resolve: (value: any) => void;
  reject: (error: unknown) => void;
}

const waiting: Reading[] = [];
/** Bytes that were read since the loop had a turn that this file knows of. */
let spent = 0;
/** Whether this turn of the loop has had its slice. */
let isSliceTaken = false;

/**
 * Whether `received` may be read immediately, by `valueOf` or `readArguments`. It then counts as read.
 *
 * @param received from the native side
 */
export function mayReadNow(received: any) {
  if (!ArrayBuffer.isView(received)) return true;
  const wire = received as Uint8Array;
  if (spent + wire.length > MAX_BYTES || isInSlices(wire)) return false;
  spent += wire.length;
  return true;
}

/**
 * The value of a wire, which may take several turns of the loop.
 *
 * @param scope nobody wants the value any more when this has ended: the promise stays
 *   unsettled then
 */
export function readInSlices(wire: Uint8Array, scope?: RunScope): Promise<any> {
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
