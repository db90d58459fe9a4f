import { inspect, types } from 'node:util';

import { BudgetError } from './budget';
import { bigintText, isLongBigint } from './describe';
import { defineMember } from './tool-names';
import { isWide, keysOf } from './wide-objects';
import type { WorkBudget } from './budget';
import type { Foreign } from './foreign';

// The form of a value in structured output: data that JSON can represent. Only a part without a form of its kind
// becomes a string:
//
// - `undefined`: a member is omitted; an element, or the value itself, becomes `null`
// - a number that is not finite: its name; -0: 0
// - a BigInt: its digits as a string, or its length if it is very long
// - a Date: ISO 8601, or `null` if it is invalid
// - a Map: a list of pairs; a Set: a list
// - a typed array: a list of its numbers; an ArrayBuffer or DataView: a list of its bytes
// - an error: an object with name, message, cause, errors and its own properties, without its stack
// - a boxed primitive: the primitive
// - a regular expression, a symbol, a function, and an object without data, such as a promise: the text that
//   `util.inspect` returns
// - a part that contains itself: "[Circular]"; a part that is nested too deeply: "[Object]" or "[Array]"

const MAX_DEPTH = 500;
const MAX_PARTS = 100_000;
/** When this many parts are created, the parts of the whole value are counted before more are created. */
const UNCOUNTED_PARTS = 5_000;
/** UTF-16 units of the text of a part without data. */
const MAX_TEXT = 1_000;
/** Properties of errors that are shown although they are not enumerable. */
const HIDDEN_KEYS = ['cause', 'errors'];

/** Finds an accessor without creating a descriptor. */
const { __lookupGetter__: lookupGetter } = Object.prototype as Foreign;

/** The value is too large. */
const TOO_LARGE = Symbol('too large');

/**
 * A new value that JSON represents completely. Shared parts are repeated.
 *
 * @param maxChars limit on strings and names, in UTF-16 units
 * @param budget counts parts
 * @returns undefined for a value that is too large
 */
export function* dataForm(
  value: unknown,
  maxChars: number,
  budget: WorkBudget,
): Generator<void, { data: unknown } | undefined, void> {
  try {
    const data = yield* new DataForms(value, maxChars, budget).of(value);
    return { data: data === undefined ? null : data };
  } catch (error) {
    if (error === TOO_LARGE || error instanceof BudgetError) return undefined;
    throw error;
  }
}

/**
 * Counts the parts of a value as `DataForms` does, without creating anything for a part. It stops when the limit is
 * exceeded. It never counts more than `DataForms`.
 */
class PartCount {
  #charsLeft;
  #partsLeft = MAX_PARTS;
  #containing: Set<unknown> = new Set();

  constructor(maxChars: number) {
    this.#charsLeft = maxChars;
  }

  isExceededBy(value: unknown) {
    try {
      this.#visit(value);
      return false;
    } catch (error) {
      if (error === TOO_LARGE) return true;
      throw error;
    }
  }

  #visit(value: Foreign) {
    if (--this.#partsLeft < 0) throw TOO_LARGE;
    if (typeof value === 'string') this.#addText(value);
    else if (typeof value === 'object' && value !== null) this.#visitObject(value);
  }

  #visitObject(value: Foreign) {
    if (types.isProxy(value) || isShownWhole(value)) return;
    if (this.#containing.has(value) || this.#containing.size === MAX_DEPTH) return;
    this.#containing.add(value);
    this.#visitParts(value);
    this.#containing.delete(value);
  }

  #visitParts(value: Foreign) {
    if (Array.isArray(value)) {
      this.#addItems(value.length);
      for (let at = 0; at < value.length; at++) this.#visit(value[at]);
    } else if (isPlain(value)) this.#visitMembers(value);
    else if (types.isTypedArray(value)) this.#addItems((value as Foreign).length);
    else if (types.isAnyArrayBuffer(value) || types.isDataView(value)) this.#addItems(value.byteLength);
    else if (types.isSet(value)) {
      this.#addItems(value.size);
      Set.prototype.forEach.call(value, (item: unknown) => this.#visit(item));
    } else if (types.isMap(value)) {
      this.#addItems(value.size);
      Map.prototype.forEach.call(value, (item: unknown, key: unknown) => {
        if (--this.#partsLeft < 0) throw TOO_LARGE;
        this.#visit(key);
        this.#visit(item);
      });
    } else {
      if (types.isNativeError(value)) this.#visitHidden(value);
      this.#visitMembers(value);
    }
  }

  #visitMembers(value: Foreign) {
    if (isWide(value)) throw TOO_LARGE;
    const inheritsNone = isPlain(value);
    for (const key in value) {
      if (!inheritsNone && !Object.hasOwn(value, key)) continue;
      // A getter of the host runs once, when its part is created.
      if (lookupGetter.call(value, key) !== undefined) continue;
      const member = value[key];
      if (member !== undefined) this.#addText(key);
      this.#visit(member);
    }
  }

  #visitHidden(error: Foreign) {
    for (const key of HIDDEN_KEYS) {
      if (Object.hasOwn(error, key) && lookupGetter.call(error, key) === undefined) this.#visit(error[key]);
    }
  }

  /** Refuses a list whose items alone are too many. */
  #addItems(length: number) {
    if (length > this.#partsLeft) throw TOO_LARGE;
  }

  #addText(text: string) {
    this.#charsLeft -= text.length;
    if (this.#charsLeft < 0) throw TOO_LARGE;
  }
}

class DataForms {
  #charsLeft;
  #budget;
  #partsLeft = MAX_PARTS;
  /** The values that contain the current part. */
  #containing: Set<unknown> = new Set();
  #root;
  #maxChars;

  constructor(root: unknown, maxChars: number, budget: WorkBudget) {
    this.#root = root;
    this.#maxChars = maxChars;
    this.#charsLeft = maxChars;
    this.#budget = budget;
  }

  /** The form of a part. Undefined for `undefined`. */
  *of(value: Foreign): Generator<void, unknown, void> {
    this.#addPart();
    if (this.#budget.shouldPause) yield;
    return isObject(value) ? yield* this.#ofObject(value) : this.#ofPrimitive(value);
  }

  /** @param value not an object, or null */
  #ofPrimitive(value: unknown) {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : String(value);
      case 'boolean':
      case 'undefined':
      case 'object':
        return value;
      case 'bigint':
        return this.#text(isLongBigint(value) ? bigintText(value) : String(value));
      default:
        return this.#shown(value);
    }
  }

  #ofLeaf(value: unknown) {
    this.#addPart();
    return this.#ofPrimitive(value);
  }

  #addPart() {
    this.#budget.addPart();
    if (--this.#partsLeft < 0) throw TOO_LARGE;
    if (this.#partsLeft !== MAX_PARTS - UNCOUNTED_PARTS) return;
    if (new PartCount(this.#maxChars).isExceededBy(this.#root)) throw TOO_LARGE;
  }

  *#ofObject(value: Foreign): Generator<void, unknown, void> {
    // Never reads from a proxy of the host.
    if (types.isProxy(value)) return this.#shown(value);
    if (types.isDate(value)) {
      const time = Date.prototype.getTime.call(value);
      return Number.isNaN(time) ? null : new Date(time).toISOString();
    }
    if (types.isBoxedPrimitive(value)) return yield* this.of(primitiveOf(value));
    if (types.isRegExp(value)) return this.#text(RegExp.prototype.toString.call(value));
    if (hasNoData(value) || hasOwnText(value)) return this.#shown(value);
    if (this.#containing.has(value)) return '[Circular]';
    if (this.#containing.size === MAX_DEPTH) return Array.isArray(value) ? '[Array]' : '[Object]';
    this.#containing.add(value);
    const form = yield* this.#ofParts(value);
    this.#containing.delete(value);
    return form;
  }

  *#ofParts(value: Foreign): Generator<void, unknown, void> {
    if (Array.isArray(value) || types.isTypedArray(value)) return yield* this.#list(value as ArrayLike<unknown>);
    if (types.isSet(value)) return yield* this.#list(this.#sized([...value]));
    if (types.isMap(value)) return yield* this.#list(this.#sized([...value]));
    if (types.isAnyArrayBuffer(value)) return yield* this.#list(new Uint8Array(value));
    if (types.isDataView(value)) {
      return yield* this.#list(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    }
    if (isWide(value)) throw TOO_LARGE;
    const form = {};
    if (types.isNativeError(value)) yield* this.#addHidden(form, value);
    for (const key of keysOf(value)) yield* this.#add(form, key, memberOf(value, key));
    return form;
  }

  *#list(items: ArrayLike<unknown>): Generator<void, unknown[], void> {
    const list: unknown[] = [];
    this.#sized(items);
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      // A generator for each number would take most of the time and memory.
      const form = isObject(item) ? yield* this.of(item) : this.#ofLeaf(item);
      if (this.#budget.shouldPause) yield;
      list.push(form === undefined ? null : form);
    }
    return list;
  }

  /** Adds the properties of an error that are not enumerable. */
  *#addHidden(form: object, error: Foreign): Generator<void, void, void> {
    for (const key of ['name', 'message']) yield* this.#add(form, key, String(memberOf(error, key)));
    for (const key of HIDDEN_KEYS) {
      if (Object.hasOwn(error, key)) yield* this.#add(form, key, memberOf(error, key));
    }
  }

  *#add(form: object, key: string, value: unknown): Generator<void, void, void> {
    const member = isObject(value) ? yield* this.of(value) : this.#ofLeaf(value);
    if (this.#budget.shouldPause) yield;
    if (member === undefined) return;
    this.#text(key);
    defineMember(form, key, member);
  }

  #sized<T extends ArrayLike<unknown>>(items: T): T {
    if (items.length > this.#partsLeft) throw TOO_LARGE;
    return items;
  }

  #text(text: string) {
    this.#charsLeft -= text.length;
    if (this.#charsLeft < 0) throw TOO_LARGE;
    return text;
  }

  #shown(value: unknown) {
    const text = inspect(value, { depth: 0, maxArrayLength: 10, maxStringLength: MAX_TEXT, breakLength: Infinity });
    return this.#text(text.slice(0, MAX_TEXT));
  }
}

function isObject(value: unknown) {
  return typeof value === 'object' && value !== null;
}

/** Whether an object is an ordinary one. Reads from no proxy. */
function isPlain(value: object) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether an object has no parts in structured output. */
function isShownWhole(value: Foreign) {
  if (hasOwnText(value)) return true;
  // The checks below take longer than everything else about a list or an ordinary object.
  if (Array.isArray(value) || isPlain(value)) return false;
  return types.isDate(value) || types.isBoxedPrimitive(value) || types.isRegExp(value) || hasNoData(value);
}

/** Whether the members of an object do not represent its value. */
function hasNoData(value: object) {
  return (
    types.isPromise(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isMapIterator(value) ||
    types.isSetIterator(value) ||
    types.isGeneratorObject(value) ||
    types.isModuleNamespaceObject(value) ||
    types.isExternal(value)
  );
}

/** Whether an object defines how it is shown, such as a remark in a truncated value. */
function hasOwnText(value: object) {
  return typeof memberOf(value, inspect.custom) === 'function';
}

/** @param value a boxed primitive */
function primitiveOf(value: Foreign): unknown {
  for (const Kind of [String, Number, Boolean, BigInt, Symbol] as Foreign[]) {
    try {
      return Kind.prototype.valueOf.call(value);
    } catch {
      // The value is a primitive of another kind.
    }
  }
  return undefined;
}

/** The value of a property, or undefined if a getter of the host throws. */
function memberOf(value: Foreign, key: PropertyKey): unknown {
  try {
    return value[key];
  } catch {
    return undefined;
  }
}
