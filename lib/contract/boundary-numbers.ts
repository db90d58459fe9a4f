// Numbers that JavaScript and Rust use for the same things. `npm run generate` writes the Rust constants.

/** Kinds of values that the facade hands to the addon. */
export const VALUE_KIND = Object.freeze({
  /** A primitive. */
  PLAIN: 0,
  /** A string of Latin-1. */
  LATIN1: 1,
  /** A Uint8Array, for its bytes. */
  BYTES: 2,
  /** Serialized bytes. */
  WIRE: 3,
});

/** Kinds of answers to a tool call, in addition to the kinds of values. */
export const REPLY_KIND = Object.freeze({
  /** An error, as its four parts. */
  ERROR: 4,
  /** The tool returned a promise to a guest that waits. */
  PROMISE: 5,
});

/** Kinds of deliveries from the addon to the facade. */
export const DELIVERY = Object.freeze({
  /** A call has settled. */
  SETTLED: 0,
  /** Guest code calls tools. */
  TOOL_CALLS: 1,
  /** Log entries. */
  LOGS: 2,
  /** Nothing: the call only wakes the facade. */
  NOTHING: 3,
});

/** How a call settled. */
export const ENDING = Object.freeze({
  /** Without a value. */
  DONE: 0,
  /** With the value of a run. */
  VALUE: 1,
  /** With a final answer. */
  FINAL: 2,
  /** With a failure. */
  ERROR: 3,
});

/** Tags of a value that is written in slices, so that it can be read in several turns of the event loop. */
export const SLICE_TAG = Object.freeze({
  /** The first byte. Other serialized bytes begin with V8's own first byte. */
  SLICES: 0xfe,
  /** The value that was opened last is complete. */
  END: 0,
  /** Several parts of that value follow as one array. */
  BATCH: 1,
  /** The next part has parts itself. */
  OPEN: 2,
  /** The same for a sparse array, with its length. */
  OPEN_SPARSE: 3,
});
