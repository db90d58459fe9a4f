// V8's serialization format, as written by `wire-writer.ts` and read by `wire-reader.ts`: each value begins with a tag.

export const VERSION = 15;

const code = (character: string) => character.charCodeAt(0);

export const TAG = Object.freeze({
  ARRAY: code('A'),
  ARRAY_END: code('$'),
  BIGINT: code('Z'),
  BIGINT_OBJECT: code('z'),
  BUFFER: code('B'),
  DATE: code('D'),
  DOUBLE: code('N'),
  ERROR: code('r'),
  FALSE: code('F'),
  FALSE_OBJECT: code('x'),
  HOLE: code('-'),
  HOST_OBJECT: code('\\'),
  INTEGER: code('I'),
  LATIN1: code('"'),
  MAP: code(';'),
  MAP_END: code(':'),
  NULL: code('0'),
  NUMBER_OBJECT: code('n'),
  OBJECT: code('o'),
  OBJECT_END: code('{'),
  PADDING: 0,
  REFERENCE: code('^'),
  REGEXP: code('R'),
  RESIZABLE_BUFFER: code('~'),
  SET: code("'"),
  SET_END: code(','),
  SPARSE_ARRAY: code('a'),
  SPARSE_ARRAY_END: code('@'),
  STRING_OBJECT: code('s'),
  TRUE: code('T'),
  TRUE_OBJECT: code('y'),
  UNDEFINED: code('_'),
  UNSIGNED: code('U'),
  UTF16: code('c'),
  UTF8: code('S'),
  VERSION: 0xff,
  VIEW: code('V'),
});

/** Fields of an error. */
export const ERROR_TAG = Object.freeze({ CAUSE: code('c'), END: code('.'), MESSAGE: code('m'), STACK: code('s') });

/** The error classes that have a tag, by name. */
export const ERROR_CLASSES = new Map(
  Object.entries({
    EvalError: code('E'),
    RangeError: code('R'),
    ReferenceError: code('F'),
    SyntaxError: code('S'),
    TypeError: code('T'),
    URIError: code('U'),
  }),
);

/** The view classes, by name. */
export const VIEW_CLASSES = new Map(
  Object.entries({
    Int8Array: code('b'),
    Uint8Array: code('B'),
    Uint8ClampedArray: code('C'),
    Int16Array: code('w'),
    Uint16Array: code('W'),
    Int32Array: code('d'),
    Uint32Array: code('D'),
    Float16Array: code('h'),
    Float32Array: code('f'),
    Float64Array: code('F'),
    BigInt64Array: code('q'),
    BigUint64Array: code('Q'),
    DataView: code('?'),
  }),
);

/** Bits of a regular expression's flags. */
export const FLAG_BITS = { g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 } as Record<string, number>;

/** Strings with such units are written with two bytes per unit. */
export const NOT_LATIN1 = /[^\0-\xff]/;
