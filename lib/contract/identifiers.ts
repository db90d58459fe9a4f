/** Words reserved in modules, async functions and strict code. Guest code is all three. */
const KEYWORDS = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** Globals of the language. If the host gave one of them another meaning, most programs would break. */
export const BUILT_INS: ReadonlySet<string> = new Set(
  `AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
  DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array
  Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
  Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis
  isFinite isNaN parseFloat parseInt undefined unescape`.split(/\s+/),
);

/** The prefix of names that the executor's own code uses. */
export const RESERVED_PREFIX = '__smol_';

/** Whether a string can be the name of a property after a dot. */
export function isIdentifier(name: string) {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name);
}

/** Whether guest code can declare a variable, function or parameter of that name. */
export function isBindable(name: string) {
  return isIdentifier(name) && !KEYWORDS.has(name) && !name.startsWith(RESERVED_PREFIX);
}

/** Whether a name is a global of the language. */
export function isBuiltIn(name: string) {
  return BUILT_INS.has(name);
}
