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
 * @property {boolean} [showsLeaves] whether a part that cannot be cloned is replaced by a string that shows it; otherwise
 * the call fails
 * @property {boolean} [isShown] whether the value is only displayed: everything is written as a printer shows it,
 * without the parts that a printer leaves out
 * @property {boolean} [hidesStacks] whether stacks of errors are left out
 * @property {(object: any) => boolean} [isOpaque] whether an object cannot be inspected; such an object is refused
 * @property {number} [textChars] with `isShown`: the limit for a string that is the value, or an element of it
 * @property {string} [path] name of the value in messages
 * @property {boolean} [isList] whether the value is an array that was made here and has only elements
 *
 * @typedef {(value: unknown, options: EncodeOptions) => string} Encode throws RangeError with `isTooLarge`, TypeError
 * with `isUncloneable`, and errors that getters throw
 */

/**
 * @param {import('./language').Language} language
 * @param {(object: any, name: string) => any} [dataOf] the data in an object of the browser
 * @returns {Encode}
 */
function makeEncode(language, dataOf) {
  const { Map, NATIVE_ERRORS, RangeError, TypeError, Uint8Array, apply, attempt, bare, bigOf, bigText, btoa } =
    language;
  const { bufferLength, bufferSlice, dateTime, endsWith, fromCodes, functionText, getPrototypeOf, is, isArray } =
    language;
  const { isEnumerable, isError, isFinite, isInteger, mapForEach, mapGet, mapSet, mapSize, min, numberOf } = language;
  const { objectPrototype, own, ownKeys, put, regexpFlags, regexpSource, setForEach, setSize, slice, startsWith } =
    language;
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
  const CHUNK = 0x6000;

  const bytesText = (/** @type {any} */ buffer) => {
    const bytes = new Uint8Array(buffer);
    const length = typedLength(bytes);
    let encoded = '';
    for (let at = 0; at < length; at += CHUNK) {
      encoded += btoa(apply(fromCodes, undefined, subarray(bytes, at, min(at + CHUNK, length))));
    }
    return encoded;
  };

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

  return encode;

  /** @type {Encode} */
  function encode(root, options) {
    // Most values are only a primitive or a list of primitives.
    const { maxChars, isList = false, isShown = false } = options;
    const simple = isShown ? undefined : isList ? primitives(root, maxChars) : primitive(root, maxChars);
    if (simple !== undefined && simple.length + 2 <= maxChars) return isList ? simple : `[${simple}]`;
    return encodeAll(root, options);
  }

  /** @type {Encode} */
  function encodeAll(root, options) {
    const { maxChars, isShown = false, showsLeaves = false, hidesStacks = false } = options;
    const { textChars = SHOWN_CHARS, path = 'value', isOpaque } = options;
    const numbers = new Map();
    const queue = bare();
    const parents = bare();
    const keys = bare();
    const depths = bare();
    let out = '';
    let at = -1;

    const add = (/** @type {string} */ part) => {
      out += part;
      if (out.length > maxChars) throw tooLarge();
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
    /** The element for a value that cannot be cloned: a string that shows it. */
    /** @type {(value: any) => string} */
    const leaf = (value) => `["t",${stringify(encode(value, { maxChars: LEAF_CHARS, isShown: true }))}]`;
    const plainLeaf = (/** @type {string} */ look) => `["t",${stringify(`[["x",${stringify(look)}]]`)}]`;
    const reference = (/** @type {any} */ object, /** @type {any} */ key) => {
      let number = mapGet(numbers, object);
      if (number === undefined) {
        number = queue.length;
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
          return stringify(value);
        case 'bigint':
          return `["n","${bigText(value, 16)}"]`;
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
    const accessorLook = (/** @type {any} */ { get, set }) =>
      set === undefined ? '[Getter]' : get === undefined ? '[Setter]' : '[Getter/Setter]';
    /**
     * The element of a property. If it is only displayed, no getter is called. With `showsLeaves`, a getter that throws
     * is shown.
     */
    const valueAt = (/** @type {any} */ object, /** @type {string} */ name, /** @type {string} */ key) => {
      if (!isShown && !showsLeaves) return element(object[name], key);
      const descriptor = own(object, name);
      if (descriptor === undefined || 'value' in descriptor) return element(object[name], key);
      const look = accessorLook(descriptor);
      if (isShown) return `["x",${stringify(look)}]`;
      let value;
      try {
        value = object[name];
      } catch {
        return plainLeaf(look);
      }
      return element(value, key);
    };
    const properties = (/** @type {any} */ object) => {
      const names = ownKeys(object);
      let count = 0;
      for (let index = 0; index < names.length; index++) {
        const name = /** @type {any} */ (names[index]);
        if (typeof name === 'symbol' || !isEnumerable(object, name)) continue;
        if (isShown && ++count > SHOWN_ITEMS) break;
        add(`,${stringify(name)},${valueAt(object, name, member(name))}`);
      }
    };
    const array = (/** @type {any} */ object) => {
      const { length } = object;
      add(`["a",${length}`);
      const shown = isShown ? min(length, SHOWN_ITEMS) : length;
      let known = 0;
      for (; known < shown; known++) {
        // From the first hole on, elements are found by their keys: an array of two elements may have a length of four
        // thousand million.
        if (own(object, known) === undefined) break;
        add(`,${valueAt(object, `${known}`, `[${known}]`)}`);
      }
      const names = ownKeys(object);
      let count = 0;
      let hasPairs = false;
      for (let index = 0; index < names.length; index++) {
        const name = /** @type {any} */ (names[index]);
        if (typeof name === 'symbol' || !isEnumerable(object, name)) continue;
        if (isIndex(name) && +name < known) continue;
        if (isShown && isIndex(name) && known === shown) continue;
        if (isShown && ++count > SHOWN_ITEMS) break;
        if (!hasPairs) add(',["p"]');
        hasPairs = true;
        add(`,${stringify(name)},${valueAt(object, name, isIndex(name) ? `[${name}]` : member(name))}`);
      }
      add(']');
    };
    const entries = (/** @type {string} */ letter, /** @type {any} */ object) => {
      add(`["${letter}"`);
      const items = bare();
      if (letter === 'M') {
        mapForEach(object, (/** @type {any} */ value, /** @type {any} */ key) => {
          items[items.length] = key;
          items[items.length] = value;
        });
      } else {
        setForEach(object, (/** @type {any} */ value) => (items[items.length] = value));
      }
      const shown = isShown ? min(items.length, 2 * SHOWN_ITEMS) : items.length;
      for (let index = 0; index < shown; index++) {
        const key = letter === 'M' ? `.${index % 2 === 0 ? 'keys' : 'values'}()` : '.values()';
        add(`,${element(items[index], `${key}[${letter === 'M' ? index >> 1 : index}]`)}`);
      }
      add(']');
    };
    const error = (/** @type {any} */ object) => {
      const stack = hidesStacks ? undefined : stackOf(object);
      const hasCause = own(object, 'cause') !== undefined;
      // As with structured clone, the name is that of a class of the language.
      const name = isShown ? text(attempt((/** @type {any} */ e) => e.name, object)) : nativeName(object);
      const message = attempt((/** @type {any} */ e) => `${e.message}`, object);
      add(`["e",${element(name)},${element(text(message))},${element(typeof stack === 'string' ? stack : undefined)}`);
      const errors = isShown ? own(object, 'errors') : undefined;
      // The errors of an AggregateError are not enumerable, and neither is its cause.
      const hasErrors = errors !== undefined && !errors.enumerable;
      const marks = (hasCause ? 1 : 0) + (hasErrors ? 2 : 0);
      add(`,${marks}${hasCause ? `,${valueAt(object, 'cause', '.cause')}` : ''}`);
      if (isShown) {
        if (!hasCause) add(',null');
        if (hasErrors) add(`,"errors",${valueAt(object, 'errors', '.errors')}`);
        const names = ownKeys(object);
        for (let index = 0; index < names.length && index < SHOWN_ITEMS; index++) {
          const key = /** @type {any} */ (names[index]);
          if (typeof key === 'symbol' || !isEnumerable(object, key) || key === 'cause') continue;
          add(`,${stringify(key)},${valueAt(object, key, member(key))}`);
        }
      }
      add(']');
    };
    /** Writes a view. Only the bytes that it covers cross, and they become a new buffer. */
    const view = (/** @type {string} */ kind, /** @type {any} */ object, /** @type {any} */ facts) => {
      const { buffer, offset, bytes, length } = facts;
      const isWhole = offset === 0 && bytes === (attempt(bufferLength, buffer) ?? bytes);
      const seen = isWhole ? buffer : bufferSlice(buffer, offset, offset + bytes);
      add(`["v","${kind}",${element(seen, '.buffer')},0,${length}]`);
    };
    const look = (/** @type {string} */ what) => add(`["x",${stringify(slice(what, 0, SHOWN_CHARS))}]`);
    const platformData = (/** @type {any} */ object, /** @type {any} */ data) => {
      if (typeof data === 'string') return isShown ? look(data) : add(plainLeaf(data));
      if (isArray(data)) return array(data);
      add(isShown ? `["c",${stringify(platformName(object))}` : '["o"');
      properties(data);
      add(']');
    };
    const node = (/** @type {any} */ object) => {
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
        properties(object);
        return add(']');
      }
      if (attempt(mapSize, object) !== undefined) return entries('M', object);
      if (attempt(setSize, object) !== undefined) return entries('S', object);
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
        if (bytes > maxChars) throw tooLarge();
        return add(`["B","${bytes === 0 ? '' : bytesText(object)}"]`);
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
      if (flags !== undefined) return add(`["r",${element(regexpSource(object))},${element(flags)}]`);
      const boxed = primitiveIn(object);
      if (boxed !== undefined) return add(`["w",${element(boxed)}]`);
      const data = dataOf?.(object, platformName(object));
      if (data !== undefined) return platformData(object, data);
      if (isPlatform(object)) {
        if (isShown) return look(lookOfPlatform(object));
        if (showsLeaves) return add(plainLeaf(slice(lookOfPlatform(object), 0, SHOWN_CHARS)));
        throw refuse(` (${platformName(object)})`, undefined);
      }
      add(isShown ? `["c",${stringify(classOf(object))}` : '["o"');
      properties(object);
      return add(']');
    };
    /** The node of an object, or a string that shows it if its traps throw. */
    const nodeOrLook = (/** @type {any} */ object) => {
      if (!isShown && !showsLeaves) return node(object);
      const before = out;
      try {
        node(object);
      } catch (thrown) {
        if (/** @type {any} */ (thrown)?.isTooLarge === true) throw thrown;
        const what = attempt(isArray, object) === undefined ? '<Revoked Proxy>' : '[inspection failed]';
        out = before;
        add(isShown ? `["x",${stringify(what)}]` : plainLeaf(what));
      }
    };

    const first = element(root, undefined);
    // The nodes follow in the order in which they were found.
    let nodes = '';
    out = '';
    for (at = 0; at < queue.length; at++) {
      add(',');
      nodeOrLook(queue[at]);
      if (out.length > 1 << 16) {
        nodes += out;
        if (nodes.length > maxChars) throw tooLarge();
        out = '';
      }
    }
    nodes += out;
    if (first.length + nodes.length > maxChars) throw tooLarge();
    return `[${first}${nodes}]`;
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
