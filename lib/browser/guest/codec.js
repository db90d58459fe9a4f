// @ts-check
'use strict';

// Values as text. Both sides have this function: the host calls it, the page gets its source, and runs it before guest code. What
// it uses is captured, since guests may change everything that can be reached. No list of its own has a prototype, no JSON is
// written by a library: neither `toJSON` nor setters of guests are asked.
//
// The text is an array in JSON. Its first element is the value, the others are the objects that it is made of, each an array
// that begins with a letter. An element is a primitive, `[n]` for the object of that number (from 0), or `[-n]` for what JSON
// has no form for. Cycles and objects that occur twice need nothing more, and no depth makes it recurse.

/**
 * @typedef {object} Codec
 * @property {(value: unknown, options: EncodeOptions) => string} encode
 * @property {(text: string, options?: DecodeOptions) => any} decode
 *
 * @typedef {object} EncodeOptions
 * @property {number} maxChars of the text
 * @property {boolean} [isShown] whether it is for people: what cannot be cloned crosses as what it looks like, and what a
 * printer would leave out is left out
 * @property {number} [textChars] with `isShown`: of a text that is the value, or an element of it
 * @property {string} [path] how messages call the value
 *
 * @typedef {object} DecodeOptions
 * @property {(stack: string) => string} [stackOf] what is shown of an error's stack
 * @property {(source: string, flags: string) => any} [regexpOf]
 * @property {(look: any[], part: (element: any) => any) => any} [lookOf] makes what a value looks like
 */

/** @returns {Codec} */
function makeCodec() {
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
  /** @type {(method: any) => (self: any, ...args: any[]) => any} */
  const unbound = Function.prototype.call.bind(Function.prototype.bind, /** @type {any} */ (Function.prototype.call));
  const own = (/** @type {any} */ object, /** @type {PropertyKey} */ key) => getOwnPropertyDescriptor(object, key);
  const getter = (/** @type {any} */ prototype, /** @type {PropertyKey} */ key) => unbound(own(prototype, key)?.get);
  const { isArray } = Array;
  const { isInteger, isFinite } = Number;
  const { parse, stringify } = JSON;
  const { is, prototype: objectPrototype } = Object;
  const { min } = Math;
  const G = /** @type {any} */ (globalThis);
  const { Map, Set, Date, RegExp, Error, TypeError, RangeError, ArrayBuffer, DataView, Uint8Array, BigInt } = G;
  const { String, Symbol, btoa, atob } = G;
  const isError = G.Error.isError;
  const TypedArray = /** @type {any} */ (getPrototypeOf(Uint8Array));
  const typedTag = getter(TypedArray.prototype, Symbol.toStringTag);
  const typedBuffer = getter(TypedArray.prototype, 'buffer');
  const typedOffset = getter(TypedArray.prototype, 'byteOffset');
  const typedLength = getter(TypedArray.prototype, 'length');
  const viewBuffer = getter(DataView.prototype, 'buffer');
  const viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewLength = getter(DataView.prototype, 'byteLength');
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const mapSize = getter(Map.prototype, 'size');
  const setSize = getter(Set.prototype, 'size');
  const regexpSource = getter(RegExp.prototype, 'source');
  const regexpFlags = getter(RegExp.prototype, 'flags');
  const dateTime = unbound(Date.prototype.getTime);
  const mapForEach = unbound(Map.prototype.forEach);
  const mapGet = unbound(Map.prototype.get);
  const mapSet = unbound(Map.prototype.set);
  const setForEach = unbound(Set.prototype.forEach);
  const setAdd = unbound(Set.prototype.add);
  const toTag = unbound(Object.prototype.toString);
  const isEnumerable = unbound(Object.prototype.propertyIsEnumerable);
  const functionText = unbound(Function.prototype.toString);
  const slice = unbound(String.prototype.slice);
  const startsWith = unbound(String.prototype.startsWith);
  const endsWith = unbound(String.prototype.endsWith);
  const numberOf = unbound(Number.prototype.valueOf);
  const textOf = unbound(String.prototype.valueOf);
  const truthOf = unbound(Boolean.prototype.valueOf);
  const bigOf = unbound(BigInt.prototype.valueOf);
  const bigText = unbound(BigInt.prototype.toString);
  const symbolText = getter(Symbol.prototype, 'description');
  const charCode = unbound(String.prototype.charCodeAt);
  const fromCodes = String.fromCharCode;
  const subarray = unbound(TypedArray.prototype.subarray);
  /** @type {Record<string, any>} */
  const NATIVE_ERRORS = { __proto__: null, Error };
  for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
    NATIVE_ERRORS[name] = G[name];
  }
  /** @type {Record<string, any>} */
  const VIEWS = { __proto__: null, DataView };
  for (const kind of ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64']) {
    VIEWS[`${kind}Array`] = G[`${kind}Array`];
  }
  VIEWS.BigInt64Array = G.BigInt64Array;
  VIEWS.BigUint64Array = G.BigUint64Array;
  if (G.Float16Array !== undefined) VIEWS.Float16Array = G.Float16Array;

  // What elements mean that stand for no object.
  const UNDEFINED = '[-1]';
  const NAN = '[-2]';
  const INFINITY = '[-3]';
  const MINUS_INFINITY = '[-4]';
  const MINUS_ZERO = '[-5]';

  // What a printer shows at most, and a little more: then it says how much it has left out.
  const SHOWN_ITEMS = 101;
  const SHOWN_CHARS = 10_001;
  const SHOWN_DEPTH = 8;
  const SHOWN_NODES = 20_000;
  const CHUNK = 0x6000;

  /** A list without prototype: what is appended is an own property, whatever guests have done. */
  const bare = () => {
    /** @type {any[]} */
    const items = [];
    setPrototypeOf(items, null);
    return items;
  };
  const put = (/** @type {any} */ object, /** @type {PropertyKey} */ key, /** @type {any} */ value) =>
    defineProperty(
      object,
      key,
      /** @type {any} */ ({
        __proto__: null,
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      }),
    );
  const attempt = (/** @type {Function} */ read, /** @type {any} */ object) => {
    try {
      return read(object);
    } catch {
      return undefined;
    }
  };

  const bytesText = (/** @type {any} */ buffer) => {
    const bytes = new Uint8Array(buffer);
    const length = typedLength(bytes);
    let text = '';
    for (let at = 0; at < length; at += CHUNK) {
      text += btoa(apply(fromCodes, undefined, subarray(bytes, at, min(at + CHUNK, length))));
    }
    return text;
  };
  const bytesOf = (/** @type {string} */ text) => {
    const binary = atob(text);
    const { length } = binary;
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at++) bytes[at] = charCode(binary, at);
    return typedBuffer(bytes);
  };

  /** Whether an object belongs to the engine or to the browser, and not to a class of the guest's. */
  const isPlatform = (/** @type {any} */ object) => {
    if (toTag(object) === '[object Object]') return false;
    const { constructor } = object;
    return typeof constructor !== 'function' || endsWith(functionText(constructor), '{ [native code] }');
  };
  /** The name of its class; null if it has none. */
  const classOf = (/** @type {any} */ object) => {
    for (let proto = getPrototypeOf(object), depth = 0; proto !== null && depth < 32; depth++) {
      const constructor = own(proto, 'constructor')?.value;
      if (typeof constructor === 'function') return text(attempt((/** @type {any} */ c) => c.name, constructor));
      proto = getPrototypeOf(proto);
    }
    return null;
  };
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '');

  /** @type {Codec['encode']} */
  function encode(root, { maxChars, isShown = false, textChars = SHOWN_CHARS, path = 'value' }) {
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
          // A text that is printed as it is has a limit of its own.
          if (isShown && at < 1 && value.length > textChars) value = slice(value, 0, textChars);
          if (isShown && at > 0 && value.length > SHOWN_CHARS) value = slice(value, 0, SHOWN_CHARS);
          if (value.length > maxChars) throw tooLarge();
          return stringify(value);
        case 'number':
          if (isFinite(value)) return is(value, -0) ? MINUS_ZERO : `${value}`;
          return value !== value ? NAN : value > 0 ? INFINITY : MINUS_INFINITY;
        case 'boolean':
          return value ? 'true' : 'false';
        case 'undefined':
          return UNDEFINED;
        case 'bigint':
          return `["n","${bigText(value, 16)}"]`;
        case 'symbol':
          if (!isShown) throw refuse(' (symbol)', key);
          return `["y",${stringify(text(symbolText(value)))}]`;
        case 'function':
          if (!isShown) throw refuse(' (function)', key);
          return reference(value, key);
        default:
          return value === null ? 'null' : reference(value, key);
      }
    };
    const member = (/** @type {string} */ name) => `.${name}`;
    const properties = (/** @type {any} */ object, /** @type {boolean} */ skipsIndices) => {
      const names = ownKeys(object);
      let count = 0;
      for (let index = 0; index < names.length; index++) {
        const name = /** @type {any} */ (names[index]);
        if (typeof name === 'symbol' || !isEnumerable(object, name)) continue;
        if (skipsIndices && isIndex(name)) continue;
        if (isShown && ++count > SHOWN_ITEMS) break;
        const descriptor = isShown ? own(object, name) : undefined;
        const value =
          descriptor !== undefined && !('value' in descriptor)
            ? `["x",${stringify(descriptor.set === undefined ? '[Getter]' : descriptor.get === undefined ? '[Setter]' : '[Getter/Setter]')}]`
            : element(object[name], member(name));
        add(`,${stringify(name)},${value}`);
      }
    };
    const isIndex = (/** @type {string} */ name) => {
      const number = +name;
      return isInteger(number) && number >= 0 && `${number}` === name;
    };
    const array = (/** @type {any} */ object) => {
      const { length } = object;
      add(`["a",${length}`);
      const shown = isShown ? min(length, SHOWN_ITEMS) : length;
      let known = 0;
      for (; known < shown; known++) {
        const descriptor = own(object, known);
        // From the first hole on by keys: an array of two elements may be four thousand million long.
        if (descriptor === undefined) break;
        add(`,${element('value' in descriptor ? descriptor.value : object[known], `[${known}]`)}`);
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
        add(`,${stringify(name)},${element(object[name], isIndex(name) ? `[${name}]` : member(name))}`);
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
      const stack = own(object, 'stack') === undefined ? undefined : attempt((/** @type {any} */ e) => e.stack, object);
      const hasCause = own(object, 'cause') !== undefined;
      // As structured clone: the name is that of a class of the language.
      const name = isShown ? text(attempt((/** @type {any} */ e) => e.name, object)) : nativeName(object);
      const message =
        own(object, 'message') === undefined ? '' : `${attempt((/** @type {any} */ e) => e.message, object)}`;
      add(`["e",${element(name)},${element(message)},${element(stack)},${hasCause ? 1 : 0}`);
      if (hasCause) add(`,${element(object.cause, '.cause')}`);
      if (isShown) {
        if (!hasCause) add(',null');
        const names = ownKeys(object);
        for (let index = 0; index < names.length && index < SHOWN_ITEMS; index++) {
          const key = /** @type {any} */ (names[index]);
          if (typeof key === 'symbol' || !isEnumerable(object, key) || key === 'cause') continue;
          const value = own(object, key);
          if (value !== undefined && 'value' in value) add(`,${stringify(key)},${element(value.value, member(key))}`);
        }
      }
      add(']');
    };
    const nativeName = (/** @type {any} */ object) => {
      const name = attempt((/** @type {any} */ e) => e.name, object);
      return typeof name === 'string' && name in NATIVE_ERRORS ? name : 'Error';
    };
    const node = (/** @type {any} */ object) => {
      if (typeof object === 'function') {
        const source = functionText(object);
        const name = text(own(object, 'name')?.value);
        return add(`["f",${element(name)},${startsWith(source, 'class') ? 1 : 0}]`);
      }
      if (isShown && depths[at] > SHOWN_DEPTH) return add(`["c",${stringify(classOf(object))}]`);
      if (isArray(object)) return array(object);
      const prototype = getPrototypeOf(object);
      if (prototype === objectPrototype || prototype === null) {
        add(prototype === null && isShown ? '["c",null' : '["o"');
        properties(object, false);
        return add(']');
      }
      if (attempt(mapSize, object) !== undefined) return entries('M', object);
      if (attempt(setSize, object) !== undefined) return entries('S', object);
      const kind = typedTag(object);
      if (kind !== undefined) {
        const length = typedLength(object);
        if (isShown && length > SHOWN_ITEMS) return look(`${kind}(${length}) [ ... ]`);
        return add(`["v","${kind}",${element(typedBuffer(object), '.buffer')},${typedOffset(object)},${length}]`);
      }
      const bytes = attempt(bufferLength, object);
      if (bytes !== undefined) {
        if (isShown && bytes > SHOWN_CHARS) return look(`ArrayBuffer { byteLength: ${bytes} }`);
        if (bytes > maxChars) throw tooLarge();
        return add(`["B","${bytesText(object)}"]`);
      }
      if (attempt(viewLength, object) !== undefined) {
        return add(
          `["v","DataView",${element(viewBuffer(object), '.buffer')},${viewOffset(object)},${viewLength(object)}]`,
        );
      }
      const time = attempt(dateTime, object);
      if (time !== undefined) return add(`["d",${time === time ? time : 'null'}]`);
      if (isRealError(object)) return error(object);
      const flags = toTag(object) === '[object RegExp]' ? attempt(regexpFlags, object) : undefined;
      if (flags !== undefined) return add(`["r",${element(regexpSource(object))},${element(flags)}]`);
      const boxed = primitiveIn(object);
      if (boxed !== undefined) return add(`["w",${element(boxed)}]`);
      if (isPlatform(object)) {
        if (!isShown) throw refuse(` (${platformName(object)})`, undefined);
        return look(lookOfPlatform(object));
      }
      add(isShown ? `["c",${stringify(classOf(object))}` : '["o"');
      properties(object, false);
      return add(']');
    };
    const look = (/** @type {string} */ what) => add(`["x",${stringify(slice(what, 0, SHOWN_CHARS))}]`);
    const platformName = (/** @type {any} */ object) => {
      const tag = toTag(object);
      return slice(tag, 8, tag.length - 1);
    };
    const lookOfPlatform = (/** @type {any} */ object) => {
      const name = platformName(object);
      if (name === 'Promise') return 'Promise { <state not shown> }';
      if (startsWith(name, 'Weak')) return `${name} { <items unknown> }`;
      const markup = attempt((/** @type {any} */ element) => element.outerHTML, object);
      return typeof markup === 'string' ? markup : `${name} {}`;
    };

    const first = element(root, undefined);
    // The nodes follow in the order in which they were met.
    let nodes = '';
    out = '';
    for (at = 0; at < queue.length; at++) {
      add(',');
      node(queue[at]);
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

  const isRealError = (/** @type {any} */ object) =>
    isError === undefined ? toTag(object) === '[object Error]' : isError(object);

  const primitiveIn = (/** @type {any} */ object) =>
    attempt(numberOf, object) ?? attempt(textOf, object) ?? attempt(truthOf, object) ?? attempt(bigOf, object);

  /** @type {Codec['decode']} */
  function decode(
    encoded,
    {
      stackOf,
      regexpOf = (/** @type {string} */ source, /** @type {string} */ flags) => new RegExp(source, flags),
      lookOf,
    } = {},
  ) {
    const parts = parse(encoded);
    const made = bare();
    const part = (/** @type {any} */ element) => {
      if (typeof element !== 'object' || element === null) return element;
      const first = element[0];
      if (typeof first === 'number') {
        if (first >= 0) return made[first];
        return first === -1 ? undefined : first === -2 ? NaN : first === -3 ? Infinity : first === -4 ? -Infinity : -0;
      }
      if (first === 'n') return bigOfText(element[1]);
      if (first === 'y') return Symbol(element[1]);
      if (lookOf !== undefined) return lookOf(element, part);
      throw new TypeError('not a value');
    };
    for (let index = 1; index < parts.length; index++) made[index - 1] ??= shell(parts[index], part);
    for (let index = 1; index < parts.length; index++) fill(made[index - 1], parts[index], part);
    return part(parts[0]);

    function shell(/** @type {any} */ node, /** @type {(element: any) => any} */ part) {
      switch (node[0]) {
        case 'o':
          return {};
        case 'a': {
          /** @type {any[]} */
          const items = [];
          items.length = node[1];
          return items;
        }
        case 'M':
          return new Map();
        case 'S':
          return new Set();
        case 'd':
          return new Date(node[1] ?? NaN);
        case 'r':
          return regexpOf(node[1], node[2]);
        case 'e':
          return errorOf(node, part);
        case 'B':
          return bytesOf(node[1]);
        case 'v':
          return viewOf(node);
        case 'w':
          return Object(part(node[1]));
        default:
          if (lookOf === undefined) throw new TypeError('not a value');
          return lookOf(node, part);
      }
    }

    /** Views come before or after their buffers, which need nothing else. */
    function viewOf(/** @type {any} */ node) {
      const number = node[2][0];
      const buffer = (made[number] ??= bytesOf(parts[number + 1][1]));
      const View = VIEWS[node[1]] ?? (node[1] === 'Float16Array' ? undefined : VIEWS.Uint8Array);
      if (View !== undefined) return new View(buffer, node[3], node[4]);
      return floatsOf(new VIEWS.Uint16Array(buffer, node[3], node[4]));
    }

    function errorOf(/** @type {any} */ node, /** @type {(element: any) => any} */ part) {
      const name = part(node[1]);
      const error = new (NATIVE_ERRORS[name] ?? Error)(part(node[2]));
      const stack = part(node[3]);
      const hide = (/** @type {string} */ key, /** @type {any} */ value) =>
        defineProperty(
          error,
          key,
          /** @type {any} */ ({
            __proto__: null,
            value,
            writable: true,
            enumerable: false,
            configurable: true,
          }),
        );
      hide('stack', typeof stack === 'string' && stackOf !== undefined ? stackOf(stack) : stack);
      if (!(name in NATIVE_ERRORS)) hide('name', name);
      return error;
    }
  }

  function fill(/** @type {any} */ value, /** @type {any} */ node, /** @type {(element: any) => any} */ part) {
    switch (node[0]) {
      case 'o':
      case 'c':
        for (let at = node[0] === 'o' ? 1 : 2; at < node.length; at += 2) put(value, node[at], part(node[at + 1]));
        break;
      case 'a': {
        let at = 2;
        for (; at < node.length && !isMark(node[at]); at++) put(value, at - 2, part(node[at]));
        for (at++; at < node.length; at += 2) put(value, node[at], part(node[at + 1]));
        break;
      }
      case 'M':
        for (let at = 1; at < node.length; at += 2) mapSet(value, part(node[at]), part(node[at + 1]));
        break;
      case 'S':
        for (let at = 1; at < node.length; at++) setAdd(value, part(node[at]));
        break;
      case 'e':
        if (node[4] === 1) {
          defineProperty(
            value,
            'cause',
            /** @type {any} */ ({
              __proto__: null,
              value: part(node[5]),
              writable: true,
              enumerable: false,
              configurable: true,
            }),
          );
        }
        for (let at = 6; at < node.length; at += 2) put(value, node[at], part(node[at + 1]));
    }
  }

  /** A Float32Array of the same numbers, where there is no Float16Array. */
  function floatsOf(/** @type {any} */ bits) {
    const floats = new VIEWS.Float32Array(typedLength(bits));
    for (let at = 0; at < bits.length; at++) {
      const exponent = (bits[at] >> 10) & 31;
      const fraction = bits[at] & 1023;
      const size =
        exponent === 31
          ? fraction === 0
            ? Infinity
            : NaN
          : exponent === 0
            ? fraction * 2 ** -24
            : (1 + fraction / 1024) * 2 ** (exponent - 15);
      floats[at] = bits[at] >> 15 === 1 ? -size : size;
    }
    return floats;
  }

  /** What separates the elements of an array from pairs of keys and values. */
  function isMark(/** @type {any} */ element) {
    return typeof element === 'object' && element !== null && element[0] === 'p';
  }

  function bigOfText(/** @type {string} */ digits) {
    return startsWith(digits, '-') ? -BigInt(`0x${slice(digits, 1)}`) : BigInt(`0x${digits}`);
  }

  return { encode, decode };
}

module.exports = { makeCodec };
