// @ts-check
'use strict';

// Writes values as text that `decode.js` reads. The text is an array in JSON. Its first element is the value. The
// others are the objects in it, each an array that begins with a letter. An element is a primitive, `[n]` for the
// object with that number (from 0), `[-n]` for a value that JSON cannot represent, or `["letter", …]`. Cycles and
// repeated objects need nothing more, and deep values cause no recursion. No library writes the JSON: neither `toJSON`
// nor setters of guests are called.

/**
 * @typedef {object} EncodeOptions
 * @property {number} maxChars limit of the text
 * @property {boolean} [showsLeaves] whether a part that cannot be cloned is replaced by a string that shows it;
 *   otherwise
 * the call fails
 * @property {boolean} [isShown] whether the value is only displayed: everything is written as a printer shows it,
 * without the parts that a printer leaves out
 * @property {boolean} [hidesStacks] whether stacks of errors are left out
 * @property {(object: any) => boolean} [isOpaque] whether an object cannot be inspected; such an object is refused
 * @property {number} [textChars] with `isShown`: the limit for a string that is the value, or an element of it
 * @property {string} [path] name of the value in messages
 * @property {boolean} [isList] whether the value is an array that was made here and has only elements
 * @property {(array: any) => boolean} [hasOnlyElements] whether an array certainly has no keys except indices, found
 * without a list of all keys
 * @property {(object: any) => boolean} [isLongToList] whether listing the keys of an object takes too long; such an
 *   object
 * is refused
 *
 * @typedef {(value: unknown, options: EncodeOptions) => string} Encode throws RangeError with `isTooLarge`, TypeError
 * with `isUncloneable` or `isLongToList`, and errors that getters throw
 *
 * Encoding that can pause between the parts of a value, and within long strings and buffers. If the value changes
 * during a pause, the text is still that of one value.
 *
 * @typedef {object} Encoding
 * @property {(isSpent: (steps: number) => boolean) => boolean} goOn encodes until `isSpent` returns true; it is called
 * with the cost of each step. Returns whether everything is encoded. Throws as `Encode`
 * @property {() => string} text
 *
 * @typedef {object} Encoder
 * @property {Encode} encode
 * @property {(value: unknown, options: EncodeOptions) => Encoding} encoding
 *
 * Continues with an object whose beginning is written. Returns whether its end is written.
 *
 * @typedef {() => boolean} Step
 */

/**
 * @param {import('./language').Language} language
 * @param {(object: any, name: string) => any} [dataOf] the data in an object of the browser
 * @returns {Encoder}
 */
function makeEncode(language, dataOf) {
  const { Map, NATIVE_ERRORS, RangeError, TypeError, Uint8Array, apply, attempt, bare, bigOf, bigText, btoa } =
    language;
  const {
    bufferLength,
    bufferSlice,
    charCode,
    dateTime,
    endsWith,
    fromCodes,
    functionText,
    getPrototypeOf,
    is,
    isArray,
  } = language;
  const { isEnumerable, isError, isFinite, isInteger, mapEntries, mapGet, mapNext, mapSet, mapSize, min, numberOf } =
    language;
  const {
    objectPrototype,
    own,
    ownKeys,
    put,
    regexpFlags,
    regexpSource,
    setNext,
    setSize,
    setValues,
    slice,
    startsWith,
  } = language;
  const { stringify, subarray, symbolText, text, textOf, toTag, truthOf, typedBuffer, typedBytes, typedLength } =
    language;
  const { typedOffset, typedTag, viewBuffer, viewLength, viewOffset } = language;

  // Elements for values that are neither objects nor in JSON.
  const UNDEFINED = '[-1]';
  const NAN = '[-2]';
  const INFINITY = '[-3]';
  const MINUS_INFINITY = '[-4]';
  const MINUS_ZERO = '[-5]';

  // Limits of a printer, plus one or a little more, so that it can say how much it has left out.
  const SHOWN_ITEMS = 101;
  const SHOWN_CHARS = 10_001;
  const SHOWN_DEPTH = 8;
  const SHOWN_NODES = 20_000;
  const LEAF_CHARS = 1 << 20;
  /** Bytes and UTF-16 units that are written in one step. A multiple of three, so that no piece is padded in base64. */
  const PIECE = 0x6000;
  /** Parts of an object that are written in one step. */
  const PARTS_PER_STEP = 16;
  /** The cost of a piece, and of an object in addition to its parts, in parts. */
  const PIECE_COST = 200;
  /** UTF-16 units of a short string that are written at the cost of one part. */
  const UNITS_PER_PART = 128;
  const OBJECT_COST = 4;
  /** Bytes that are copied at the cost of one part. */
  const BYTES_PER_PART = 8192;
  /** Objects in one map of numbers: letting a map grow further takes too long for one step. */
  const MAX_NUMBERS = 1 << 16;

  /** Whether an object's class belongs to the engine or the browser, and not to the guest. */
  const isPlatform = (/** @type {any} */ object) => {
    if (toTag(object) === '[object Object]') return false;
    const { constructor } = object;
    return typeof constructor !== 'function' || endsWith(functionText(constructor), '{ [native code] }');
  };
  /** The name of an object's class; null if it has none. */
  const classOf = (/** @type {any} */ object) => {
    for (let proto = getPrototypeOf(object), depth = 0; proto !== null && depth < 32; depth++) {
      const constructor = own(proto, 'constructor')?.value;
      if (typeof constructor === 'function') return text(own(constructor, 'name')?.value);
      proto = getPrototypeOf(proto);
    }
    return null;
  };
  const isRealError = (/** @type {any} */ object) =>
    isError === undefined ? toTag(object) === '[object Error]' : isError(object);
  const nativeName = (/** @type {any} */ object) => {
    const name = attempt((/** @type {any} */ e) => e.name, object);
    return typeof name === 'string' && name in NATIVE_ERRORS ? name : 'Error';
  };
  /** The stack of an error. Getters of guests are not called, because one may never end. */
  const stackOf = (/** @type {any} */ object) => {
    const descriptor = attempt((/** @type {any} */ e) => own(e, 'stack'), object);
    if (descriptor === undefined || 'value' in descriptor) return descriptor?.value;
    const isNative =
      typeof descriptor.get === 'function' && endsWith(functionText(descriptor.get), '{ [native code] }');
    return isNative ? attempt((/** @type {any} */ e) => e.stack, object) : undefined;
  };
  const primitiveIn = (/** @type {any} */ object) =>
    attempt(numberOf, object) ?? attempt(textOf, object) ?? attempt(truthOf, object) ?? attempt(bigOf, object);
  const isIndex = (/** @type {string} */ name) => {
    const number = +name;
    return isInteger(number) && number >= 0 && `${number}` === name;
  };
  const member = (/** @type {string} */ name) => `.${name}`;
  const platformName = (/** @type {any} */ object) => {
    const tag = toTag(object);
    return slice(tag, 8, tag.length - 1);
  };
  const lookOfPlatform = (/** @type {any} */ object) => {
    const name = platformName(object);
    if (name === 'Promise') return 'Promise { <state not shown> }';
    if (startsWith(name, 'Weak')) return `${name} { <items unknown> }`;
    if (endsWith(name, ' Iterator') || endsWith(name, 'Generator')) return `Object [${name}] {}`;
    if (name === 'Symbol') return `[Symbol: ${symbolLook(object)}]`;
    const markup = attempt((/** @type {any} */ element) => element.outerHTML, object);
    return typeof markup === 'string' ? markup : `${name} {}`;
  };
  const symbolLook = (/** @type {any} */ symbol) => `Symbol(${text(attempt(symbolText, symbol))})`;

  /** The text of a primitive; undefined for other values and for primitives that need more work. */
  const primitive = (/** @type {any} */ value, /** @type {number} */ maxChars) => {
    switch (typeof value) {
      case 'string':
        return value.length > maxChars ? undefined : stringify(value);
      case 'number':
        if (isFinite(value)) return is(value, -0) ? MINUS_ZERO : `${value}`;
        return value !== value ? NAN : value > 0 ? INFINITY : MINUS_INFINITY;
      case 'boolean':
        return value ? 'true' : 'false';
      case 'undefined':
        return UNDEFINED;
      default:
        return value === null ? 'null' : undefined;
    }
  };
  /** The text of a list that contains only primitives; undefined for other lists. */
  const primitives = (/** @type {any} */ list, /** @type {number} */ maxChars) => {
    let out = `[[0],["a",${list.length}`;
    for (let at = 0; at < list.length; at++) {
      const part = primitive(list[at], maxChars);
      if (part === undefined || out.length > maxChars) return undefined;
      out += `,${part}`;
    }
    return `${out}]]`;
  };

  return { encode, encoding };

  /** @type {Encode} */
  function encode(root, options) {
    // Most values are only a primitive or a list of primitives.
    const { maxChars, isList = false, isShown = false } = options;
    const simple = isShown ? undefined : isList ? primitives(root, maxChars) : primitive(root, maxChars);
    if (simple !== undefined && simple.length + 2 <= maxChars) return isList ? simple : `[${simple}]`;
    const work = encoding(root, options);
    work.goOn(() => false);
    return work.text();
  }

  /**
   * @param {any} root
   * @param {EncodeOptions} options
   * @returns {Encoding}
   */
  function encoding(root, options) {
    const { maxChars, isShown = false, showsLeaves = false, hidesStacks = false } = options;
    const { textChars = SHOWN_CHARS, path = 'value', isOpaque, hasOnlyElements, isLongToList } = options;
    /** Whether an object may be replaced after a part of it was written. In this case it is written in one step. */
    const isTentative = isShown || showsLeaves;
    /** Numbers of objects, and earlier maps of them. */
    let numbers = new Map();
    const earlier = bare();
    const queue = bare();
    const parents = bare();
    const keys = bare();
    const depths = bare();
    /** Complete parts of the text. */
    let written = '';
    let out = '';
    let at = -1;
    let cost = 0;
    let copiedBytes = 0;
    /** Continues with the object `at`. @type {Step | void} */
    let rest;
    /** What follows while a string or a buffer is written in pieces, which is the first of them. */
    let waiting = bare();

    const add = (/** @type {string} */ part) => {
      if (waiting.length > 0) {
        waiting[waiting.length] = part;
        return;
      }
      out += part;
      if (out.length > maxChars) throw tooLarge();
    };
    /** Adds a string or a buffer in pieces. */
    const addLong = (
      /** @type {number} */ length,
      /** @type {(from: number, to: number) => string} */ pieceOf,
      /** @type {(to: number) => number} */ endOf = (to) => to,
    ) => {
      if (length > maxChars) throw tooLarge();
      waiting[waiting.length] = { length, pieceOf, endOf, done: 0 };
      if (!isTentative) return;
      while (waiting.length > 0) addWaiting();
    };
    const addWaiting = () => {
      const long = waiting[0];
      const to = long.endOf(min(long.done + PIECE, long.length));
      const piece = long.pieceOf(long.done, to);
      cost += PIECE_COST;
      long.done = to;
      out += piece;
      if (out.length > maxChars) throw tooLarge();
      if (to < long.length) return;
      const following = waiting;
      waiting = bare();
      for (let index = 1; index < following.length; index++) {
        const part = following[index];
        // After another long one, the parts wait again.
        if (typeof part === 'string') add(part);
        else waiting[waiting.length] = part;
      }
    };
    const addText = (/** @type {string} */ value) => {
      if (isTentative || value.length <= PIECE) {
        cost += value.length / UNITS_PER_PART;
        return add(stringify(value));
      }
      add('"');
      const escaped = (/** @type {number} */ from, /** @type {number} */ to) =>
        slice(stringify(slice(value, from, to)), 1, -1);
      // No piece ends between the two units of a character.
      const endOf = (/** @type {number} */ to) => {
        const unit = charCode(value, to - 1);
        return to < value.length && unit >= 0xd800 && unit < 0xdc00 ? to - 1 : to;
      };
      addLong(value.length, escaped, endOf);
      add('"');
    };
    const addBytes = (/** @type {any} */ buffer) => {
      const bytes = new Uint8Array(buffer);
      addLong(typedLength(bytes), (from, to) => btoa(apply(fromCodes, undefined, subarray(bytes, from, to))));
    };
    const tooLarge = () => {
      const error = new RangeError(`the ${path} would take more than maxTransferBytes (${maxChars})`);
      put(error, 'isTooLarge', true);
      return error;
    };
    const refuse = (/** @type {string} */ what, /** @type {any} */ key) => {
      let where = text(key);
      for (let index = at; index > 0; index = parents[index]) where = text(keys[index]) + where;
      const error = new TypeError(`${path}${where}${what} cannot be cloned`);
      put(error, 'isUncloneable', true);
      return error;
    };
    const namesOf = (/** @type {any} */ object) => {
      if (isLongToList?.(object) !== true) return ownKeys(object);
      const error = new TypeError('');
      put(error, 'isLongToList', true);
      throw error;
    };
    /** The element for a value that cannot be cloned: a string that shows it. */
    /** @type {(value: any) => string} */
    const leaf = (value) => `["t",${stringify(encode(value, { maxChars: LEAF_CHARS, isShown: true }))}]`;
    const plainLeaf = (/** @type {string} */ look) => `["t",${stringify(`[["x",${stringify(look)}]]`)}]`;
    const reference = (/** @type {any} */ object, /** @type {any} */ key) => {
      let number = mapGet(numbers, object);
      for (let index = 0; number === undefined && index < earlier.length; index++) {
        number = mapGet(earlier[index], object);
      }
      if (number === undefined) {
        number = queue.length;
        if (number % MAX_NUMBERS === 0 && number > 0) {
          earlier[earlier.length] = numbers;
          numbers = new Map();
        }
        if (isShown && number > SHOWN_NODES) return '"..."';
        mapSet(numbers, object, number);
        queue[number] = object;
        parents[number] = at;
        keys[number] = key;
        depths[number] = at === -1 ? 0 : depths[at] + 1;
      }
      return `[${number}]`;
    };
    const element = (/** @type {any} */ value, /** @type {any} */ key = undefined) => {
      switch (typeof value) {
        case 'string':
          // A string that is printed unchanged has a separate limit.
          if (isShown && at < 1 && value.length > textChars) value = slice(value, 0, textChars);
          if (isShown && at > 0 && value.length > SHOWN_CHARS) value = slice(value, 0, SHOWN_CHARS);
          if (value.length > maxChars) throw tooLarge();
          cost += value.length / UNITS_PER_PART;
          return stringify(value);
        case 'bigint': {
          const digits = bigText(value, 16);
          cost += digits.length / UNITS_PER_PART;
          return `["n","${digits}"]`;
        }
        case 'symbol':
          if (isShown) return `["y",${stringify(text(symbolText(value)))}]`;
          if (showsLeaves) return plainLeaf(symbolLook(value));
          throw refuse(' (symbol)', key);
        case 'function':
          if (isShown) return reference(value, key);
          if (showsLeaves) return leaf(value);
          throw refuse(' (function)', key);
        default:
          return primitive(value, maxChars) ?? reference(value, key);
      }
    };
    const addElement = (/** @type {any} */ value, /** @type {any} */ key = undefined) => {
      if (typeof value === 'string' && !isTentative) addText(value);
      else add(element(value, key));
    };
    const accessorLook = (/** @type {any} */ { get, set }) =>
      set === undefined ? '[Getter]' : get === undefined ? '[Setter]' : '[Getter/Setter]';
    /**
     * Adds the value of a property. If it is only displayed, no getter is called. With `showsLeaves`, a getter that
     * throws is shown.
     */
    const addValueAt = (/** @type {any} */ object, /** @type {string} */ name, /** @type {string} */ key) => {
      if (!isTentative) return addElement(object[name], key);
      const descriptor = own(object, name);
      if (descriptor === undefined || 'value' in descriptor) return add(element(object[name], key));
      const look = accessorLook(descriptor);
      if (isShown) return add(`["x",${stringify(look)}]`);
      let value;
      try {
        value = object[name];
      } catch {
        return add(plainLeaf(look));
      }
      add(element(value, key));
    };
    const addProperty = (/** @type {any} */ object, /** @type {string} */ name, /** @type {string} */ key) => {
      add(',');
      addText(name);
      add(',');
      addValueAt(object, name, key);
    };
    /** @type {(object: any) => Step} */
    const properties = (object) => {
      const names = namesOf(object);
      let count = 0;
      let index = 0;
      return () => {
        for (const end = min(index + PARTS_PER_STEP, names.length); index < end; index++) {
          cost++;
          const name = /** @type {any} */ (names[index]);
          if (typeof name === 'symbol' || !isEnumerable(object, name)) continue;
          if (isShown && ++count > SHOWN_ITEMS) index = names.length;
          else addProperty(object, name, member(name));
        }
        if (index < names.length) return false;
        add(']');
        return true;
      };
    };
    /** @type {(object: any) => Step} */
    const array = (object) => {
      const { length } = object;
      add(`["a",${length}`);
      const shown = isShown ? min(length, SHOWN_ITEMS) : length;
      let known = 0;
      /** @type {Step} */
      let others;
      let isComplete = false;
      return () => {
        if (isComplete) return others();
        for (const end = min(known + PARTS_PER_STEP, shown); known < end; known++) {
          // From the first hole on, elements are found by their keys: an array of two elements may have a length of
          // four thousand million.
          if (own(object, known) === undefined) {
            isComplete = true;
            break;
          }
          cost++;
          add(',');
          addValueAt(object, `${known}`, `[${known}]`);
        }
        isComplete ||= known === shown;
        if (isComplete) others = otherKeys(object, known, shown);
        return false;
      };
    };
    /**
     * Writes the elements of an array from `known` on, and its other properties. @type {(object: any, known: number,
     * shown: number) => Step}
     */
    const otherKeys = (object, known, shown) => {
      // Listing a million keys takes too long for one step.
      const isLong = isLongToList?.(object) === true;
      const listsIndices = !isLong && object.length <= maxChars && hasOnlyElements?.(object) === true;
      const names = listsIndices ? bare() : namesOf(object);
      const total = listsIndices ? object.length - known : names.length;
      let count = 0;
      let hasPairs = false;
      let index = 0;
      return () => {
        for (const end = min(index + PARTS_PER_STEP, total); index < end; index++) {
          cost++;
          const name = /** @type {any} */ (listsIndices ? `${known + index}` : names[index]);
          if (typeof name === 'symbol' || !isEnumerable(object, name)) continue;
          if (isIndex(name) && +name < known) continue;
          if (isShown && isIndex(name) && known === shown) continue;
          if (isShown && ++count > SHOWN_ITEMS) {
            index = total;
            break;
          }
          if (!hasPairs) add(',["p"]');
          hasPairs = true;
          addProperty(object, name, isIndex(name) ? `[${name}]` : member(name));
        }
        if (index < total) return false;
        add(']');
        return true;
      };
    };
    /** @type {(object: any, size: number) => Step} */
    const map = (object, size) => {
      // Each part takes two characters.
      if (!isShown && 4 * size > maxChars) throw tooLarge();
      add('["M"');
      const entries = mapEntries(object);
      let index = 0;
      return () => {
        for (const end = index + PARTS_PER_STEP; index < end; index++) {
          cost++;
          const { done, value } = mapNext(entries);
          if (done || (isShown && index === SHOWN_ITEMS)) {
            add(']');
            return true;
          }
          add(',');
          addElement(value[0], `.keys()[${index}]`);
          add(',');
          addElement(value[1], `.values()[${index}]`);
        }
        return false;
      };
    };
    /** @type {(object: any, size: number) => Step} */
    const set = (object, size) => {
      if (!isShown && 2 * size > maxChars) throw tooLarge();
      add('["S"');
      const values = setValues(object);
      let index = 0;
      return () => {
        for (const end = index + PARTS_PER_STEP; index < end; index++) {
          cost++;
          const { done, value } = setNext(values);
          if (done || (isShown && index === 2 * SHOWN_ITEMS)) {
            add(']');
            return true;
          }
          add(',');
          addElement(value, `.values()[${index}]`);
        }
        return false;
      };
    };
    const error = (/** @type {any} */ object) => {
      const stack = hidesStacks ? undefined : stackOf(object);
      const hasCause = own(object, 'cause') !== undefined;
      // As with structured clone, the name is that of a class of the language.
      const name = isShown ? text(attempt((/** @type {any} */ e) => e.name, object)) : nativeName(object);
      const message = attempt((/** @type {any} */ e) => `${e.message}`, object);
      add(`["e",${element(name)},`);
      addElement(text(message));
      add(',');
      addElement(typeof stack === 'string' ? stack : undefined);
      const errors = isShown ? own(object, 'errors') : undefined;
      // The errors of an AggregateError are not enumerable, and neither is its cause.
      const hasErrors = errors !== undefined && !errors.enumerable;
      const marks = (hasCause ? 1 : 0) + (hasErrors ? 2 : 0);
      add(`,${marks}`);
      if (hasCause) {
        add(',');
        addValueAt(object, 'cause', '.cause');
      }
      if (isShown) {
        if (!hasCause) add(',null');
        if (hasErrors) addProperty(object, 'errors', '.errors');
        const names = ownKeys(object);
        for (let index = 0; index < names.length && index < SHOWN_ITEMS; index++) {
          const key = /** @type {any} */ (names[index]);
          if (typeof key === 'symbol' || !isEnumerable(object, key) || key === 'cause') continue;
          addProperty(object, key, member(key));
        }
      }
      add(']');
    };
    /** Writes a view. Only the bytes that it covers cross, and they become a new buffer. */
    const view = (/** @type {string} */ kind, /** @type {any} */ object, /** @type {any} */ facts) => {
      const { buffer, offset, bytes, length } = facts;
      const isWhole = offset === 0 && bytes === (attempt(bufferLength, buffer) ?? bytes);
      cost += bytes / BYTES_PER_PART;
      if (!isWhole) copiedBytes += bytes;
      // Many views may cover the same bytes, which are copied before the text grows.
      if (copiedBytes > maxChars && !isShown) throw tooLarge();
      const seen = isWhole ? buffer : bufferSlice(buffer, offset, offset + bytes);
      add(`["v","${kind}",${element(seen, '.buffer')},0,${length}]`);
    };
    const look = (/** @type {string} */ what) => add(`["x",${stringify(slice(what, 0, SHOWN_CHARS))}]`);
    /** @type {(object: any, data: any) => Step | void} */
    const platformData = (object, data) => {
      if (typeof data === 'string') return isShown ? look(data) : add(plainLeaf(data));
      if (isArray(data)) return array(data);
      add(isShown ? `["c",${stringify(platformName(object))}` : '["o"');
      return properties(data);
    };
    /** Writes an object, or its beginning. @type {(object: any) => Step | void} */
    const node = (object) => {
      if (typeof object === 'function') {
        const name = text(own(object, 'name')?.value);
        return add(`["f",${element(name)},${stringify(functionKind(object))}]`);
      }
      if (isOpaque?.(object) === true) throw refuse(' (Proxy)', undefined);
      if (isShown && depths[at] > SHOWN_DEPTH) return add(`["c",${stringify(classOf(object))}]`);
      if (isArray(object)) return array(object);
      const prototype = getPrototypeOf(object);
      if (prototype === objectPrototype || prototype === null) {
        add(prototype === null && isShown ? '["c",null' : '["o"');
        return properties(object);
      }
      const pairs = attempt(mapSize, object);
      if (pairs !== undefined) return map(object, pairs);
      const members = attempt(setSize, object);
      if (members !== undefined) return set(object, members);
      const kind = typedTag(object);
      if (kind !== undefined) {
        const length = typedLength(object);
        if (isShown && length > SHOWN_ITEMS) return look(`${kind}(${length}) [ ... ]`);
        const buffer = typedBuffer(object);
        return view(kind, object, { buffer, offset: typedOffset(object), bytes: typedBytes(object), length });
      }
      const bytes = attempt(bufferLength, object);
      if (bytes !== undefined) {
        if (isShown && bytes > SHOWN_CHARS) return look(`ArrayBuffer { byteLength: ${bytes} }`);
        add('["B","');
        if (bytes > 0) addBytes(object);
        return add('"]');
      }
      const buffer = attempt(viewBuffer, object);
      if (buffer !== undefined) {
        const length = attempt(viewLength, object) ?? 0;
        return view('DataView', object, { buffer, offset: attempt(viewOffset, object) ?? 0, bytes: length, length });
      }
      const time = attempt(dateTime, object);
      if (time !== undefined) return add(`["d",${time === time ? time : 'null'}]`);
      if (isRealError(object)) return error(object);
      const flags = toTag(object) === '[object RegExp]' ? attempt(regexpFlags, object) : undefined;
      if (flags !== undefined) {
        add('["r",');
        addElement(regexpSource(object));
        return add(`,${element(flags)}]`);
      }
      const boxed = primitiveIn(object);
      if (boxed !== undefined) {
        add('["w",');
        addElement(boxed);
        return add(']');
      }
      const data = dataOf?.(object, platformName(object));
      if (data !== undefined) return platformData(object, data);
      if (isPlatform(object)) {
        if (isShown) return look(lookOfPlatform(object));
        if (showsLeaves) return add(plainLeaf(slice(lookOfPlatform(object), 0, SHOWN_CHARS)));
        throw refuse(` (${platformName(object)})`, undefined);
      }
      add(isShown ? `["c",${stringify(classOf(object))}` : '["o"');
      return properties(object);
    };
    /** Writes an object, or a string that shows it if its traps throw. @type {(object: any) => Step | void} */
    const nodeOrLook = (object) => {
      if (!isTentative) return node(object);
      const before = out;
      try {
        const step = node(object);
        if (step !== undefined) while (!step());
      } catch (thrown) {
        if (/** @type {any} */ (thrown)?.isTooLarge === true) throw thrown;
        const what = attempt(isArray, object) === undefined ? '<Revoked Proxy>' : '[inspection failed]';
        out = before;
        waiting = bare();
        add(isShown ? `["x",${stringify(what)}]` : plainLeaf(what));
      }
    };

    const flush = () => {
      // Joins the pieces of the string in memory, which would take far more room and keep the garbage collector busy.
      charCode(out, 0);
      written += out;
      out = '';
      if (written.length > maxChars) throw tooLarge();
    };

    addElement(root);
    return {
      goOn(isSpent) {
        // The objects follow in the order in which they were found.
        for (;;) {
          if (waiting.length > 0) {
            addWaiting();
          } else if (rest !== undefined) {
            if (rest()) rest = undefined;
          } else if (++at < queue.length) {
            cost += OBJECT_COST;
            add(',');
            rest = nodeOrLook(queue[at]);
          } else {
            flush();
            return true;
          }
          if (out.length > 1 << 16) flush();
          const steps = cost;
          cost = 0;
          if (isSpent(steps)) return false;
        }
      },
      text: () => `[${written}]`,
    };
  }

  /** The kind of a function as a printer shows it. */
  function functionKind(/** @type {any} */ object) {
    const source = functionText(object);
    if (startsWith(source, 'class')) {
      const parent = getPrototypeOf(object);
      const name = typeof parent === 'function' ? text(own(parent, 'name')?.value) : '';
      return name === '' ? 'class' : `class extends ${name}`;
    }
    const tag = platformName(object);
    return tag === '' ? 'Function' : tag;
  }
}

module.exports = { makeEncode };
