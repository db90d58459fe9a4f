// Array methods that change the array in place, and other built-ins of V8 that loop over a length of the guest's choice
// without checking for termination. Values other than plain arrays (06_plain_arrays.js) use loops in JavaScript.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { apply, arrayPush, construct, defineProperty, getPrototypeOf, isArray, jsonStringify } = boot.p;
  const { getDescriptor, hasOwn, min, newWeakMap, RangeError, regExpTest, TypeError } = boot.p;
  const { typedArrayLength, typedArrayTag, uncurryThis } = boot.p;
  const {
    argumentsOf,
    isObject,
    isPlain,
    toObject,
    toInteger,
    lengthOf,
    placeOf,
    look,
    newArray,
    listOf,
    move,
    replace,
  } = boot.loops;
  const { prototype } = Array;
  const call = uncurryThis(Function.prototype.call);
  const copyWithin = uncurryThis(prototype.copyWithin);
  const fill = uncurryThis(prototype.fill);
  const reverse = uncurryThis(prototype.reverse);
  const shift = uncurryThis(prototype.shift);
  const unshift = uncurryThis(prototype.unshift);

  replace(prototype, {
    copyWithin(target, start, end = undefined) {
      if (isPlain(this)) return copyWithin(this, target, start, end);
      const object = toObject(this);
      const length = lengthOf(object);
      const to = placeOf(target, length, 0);
      const from = placeOf(start, length, 0);
      const count = min(placeOf(end, length, length) - from, length - to);
      move(object, from, to, count, from < to && to < from + count);
      return object;
    },
    fill(value, start = undefined, end = undefined) {
      if (isPlain(this)) return fill(this, value, start, end);
      const object = toObject(this);
      const length = lengthOf(object);
      const last = placeOf(end, length, length);
      for (let i = placeOf(start, length, 0); i < last; i++) {
        look(i);
        object[i] = value;
      }
      return object;
    },
    reverse() {
      if (isPlain(this)) return reverse(this);
      const object = toObject(this);
      const length = lengthOf(object);
      for (let low = 0, high = length - 1; low < high; low++, high--) {
        look(low);
        const hasLow = low in object;
        const first = hasLow ? object[low] : undefined;
        const hasHigh = high in object;
        const last = hasHigh ? object[high] : undefined;
        if (hasHigh) object[low] = last;
        else if (hasLow) delete object[low];
        if (hasLow) object[high] = first;
        else if (hasHigh) delete object[high];
      }
      return object;
    },
    shift() {
      if (isPlain(this)) return shift(this);
      const object = toObject(this);
      const length = lengthOf(object);
      if (length === 0) {
        object.length = 0;
        return undefined;
      }
      const first = object[0];
      move(object, 1, 0, length - 1);
      delete object[length - 1];
      object.length = length - 1;
      return first;
    },
    unshift(item, ...others) {
      const count = arguments.length;
      if (isPlain(this)) return count === 0 ? unshift(this) : unshift(this, item, ...others);
      const object = toObject(this);
      const length = lengthOf(object);
      if (count > 0) {
        if (length + count > 2 ** 53 - 1) throw new TypeError("The result is longer than array-likes can be");
        move(object, 0, count, length);
        object[0] = item;
        for (let i = 0; i < others.length; i++) object[i + 1] = others[i];
      }
      object.length = length + count;
      return length + count;
    },
  });

  // Whether `value` is a constructor. A getter for its prototype may run.
  const isConstructor = (value) => {
    if (typeof value !== "function") return false;
    try {
      construct(Object, [], value);
      return true;
    } catch {
      return false;
    }
  };

  // Whether V8's `from` only iterates, which checks for termination, or refuses the arguments.
  const isIterable = (items, mapped) =>
    items === undefined ||
    items === null ||
    (mapped !== undefined && typeof mapped !== "function") ||
    (items[Symbol.iterator] ?? undefined) !== undefined;

  const { from } = Array;
  replace(Array, {
    from(items, mapped = undefined, thisArg = undefined) {
      if (isIterable(items, mapped)) {
        return mapped === undefined ? call(from, this, items) : call(from, this, items, mapped, thisArg);
      }
      const object = toObject(items);
      const length = lengthOf(object);
      const isFresh = this === Array || !isConstructor(this);
      if (isFresh && length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
      const to = isFresh ? newArray() : construct(this, [length]);
      for (let i = 0; i < length; i++) {
        look(i);
        const value = mapped === undefined ? object[i] : call(mapped, thisArg, object[i], i);
        if (isFresh) arrayPush(to, value);
        else defineProperty(to, i, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      }
      if (!isFresh) to.length = length;
      return to;
    },
  });

  const TypedArray = getPrototypeOf(Uint8Array);
  const { from: typedFrom } = TypedArray;
  replace(TypedArray, {
    from(source, mapped = undefined, thisArg = undefined) {
      return call(typedFrom, this, isIterable(source, mapped) ? source : listOf(toObject(source)), mapped, thisArg);
    },
  });
  const set = uncurryThis(TypedArray.prototype.set);
  replace(TypedArray.prototype, {
    set(source, offset = undefined) {
      if (isPlain(source) || typedArrayTag(this) === undefined || typedArrayTag(source) !== undefined) {
        return set(this, source, offset);
      }
      const first = toInteger(offset);
      if (first < 0) throw new RangeError("offset is out of bounds");
      const object = toObject(source);
      const length = lengthOf(object);
      if (first + length > typedArrayLength(this)) throw new RangeError("offset is out of bounds");
      for (let i = 0; i < length; i++) {
        look(i);
        this[first + i] = object[i];
      }
      return undefined;
    },
  });

  replace(Function.prototype, {
    apply(thisArg, list) {
      return apply(this, thisArg, list === undefined || list === null ? [] : argumentsOf(list));
    },
  });
  replace(Reflect, {
    apply(target, thisArgument, argumentsList) {
      return apply(target, thisArgument, argumentsOf(argumentsList));
    },
    construct(target, argumentsList, ...newTarget) {
      const list = argumentsOf(argumentsList);
      return newTarget.length === 0 ? construct(target, list) : construct(target, list, newTarget[0]);
    },
  });

  replace(String, {
    raw(template, ...substitutions) {
      const strings = toObject(toObject(template).raw);
      const length = lengthOf(strings);
      let text = "";
      for (let i = 0; i < length; i++) {
        look(i);
        text += `${strings[i]}`;
        if (i + 1 < length && i < substitutions.length) text += `${substitutions[i]}`;
      }
      return text;
    },
  });

  // V8 copies each string for ICU. The memory of a copy is counted only once it exists.
  const MAX_TEXTS = 100_000;
  const textsOf = (list) => {
    if (list === undefined) return undefined;
    const texts = [];
    for (const text of list) {
      if (texts.length === MAX_TEXTS)
        throw new RangeError(`A list of more than ${MAX_TEXTS} texts cannot be formatted`);
      arrayPush(texts, text);
      // V8 refuses a value of this type.
      if (typeof text !== "string") break;
    }
    return texts;
  };
  const { ListFormat } = Intl;
  const formatList = uncurryThis(ListFormat.prototype.format);
  const formatToParts = uncurryThis(ListFormat.prototype.formatToParts);
  replace(ListFormat.prototype, {
    format(list) {
      return formatList(this, textsOf(list));
    },
    formatToParts(list) {
      return formatToParts(this, textsOf(list));
    },
  });

  // V8 checks for termination only if the function that returns the next number is not a built-in. V8 adds `sumPrecise`
  // after it has made the context.
  let sumPrecise;
  const isPlainList = (items) =>
    isPlain(items) && getPrototypeOf(items) === prototype && !hasOwn(items, Symbol.iterator);
  const late = {
    sumPrecise(items) {
      if (!isObject(items) || isPlainList(items)) return sumPrecise(items);
      const method = items[Symbol.iterator];
      if (typeof method !== "function") throw new TypeError("The items are not iterable");
      const iterator = call(method, items);
      if (!isObject(iterator)) throw new TypeError("Result of the Symbol.iterator method is not an object");
      const { next } = iterator;
      let steps = 0;
      const looking = {
        next() {
          look(steps++);
          return call(next, iterator);
        },
        get return() {
          const end = iterator.return;
          return typeof end === "function" ? () => call(end, iterator) : end;
        },
      };
      return sumPrecise({ [Symbol.iterator]: () => looking });
    },
  };
  boot.replaceLate = () => {
    ({ sumPrecise } = Math);
    // Not through `replace`: V8 counts the calls made by the bootstrap too, and would compile the function at each
    // start.
    if (sumPrecise !== undefined) defineProperty(Math, "sumPrecise", { __proto__: null, value: late.sumPrecise });
  };

  // ICU compares each part of a language tag with all others.
  const MAX_TAG_UNITS = 1024;
  const { DisplayNames } = Intl;
  const nameOf = uncurryThis(DisplayNames.prototype.of);
  replace(DisplayNames.prototype, {
    of(code) {
      const text = `${code}`;
      if (text.length > MAX_TAG_UNITS) throw new RangeError(`A code has at most ${MAX_TAG_UNITS} characters`);
      return nameOf(this, text);
    },
  });

  // Combining marks in a row are sorted, and each is compared with those before it. Unicode's stream-safe format allows
  // 30.
  const MANY_MARKS = 128;
  // Two letters become marks when they are normalized.
  const marks = new RegExp(`[\\p{M}\uff9e\uff9f]{${MANY_MARKS}}`, "uy");
  // Whether a string has fewer marks in a row than twice MANY_MARKS. A longer row covers one of these positions and the
  // MANY_MARKS characters after it.
  const sortable = (value) => {
    const text = typeof value === "string" ? value : `${value}`;
    for (let at = 0; at + MANY_MARKS <= text.length; at += MANY_MARKS) {
      marks.lastIndex = at;
      if (!regExpTest(marks, text)) continue;
      const hint = 'text.replace(/(\\p{M}{30})\\p{M}+/gu, "$1")';
      throw new RangeError(`More than ${MANY_MARKS - 1} combining marks in a row: take some out first, as by ${hint}`);
    }
    return text;
  };
  const isThere = (value) => value !== undefined && value !== null;
  const normalize = uncurryThis(String.prototype.normalize);
  const localeCompare = uncurryThis(String.prototype.localeCompare);
  replace(String.prototype, {
    normalize(form = undefined) {
      return normalize(isThere(this) ? sortable(this) : this, form);
    },
    localeCompare(that, locales = undefined, options = undefined) {
      if (!isThere(this)) return localeCompare(this, that, locales, options);
      const text = sortable(this);
      const other = sortable(that);
      // V8 compares without a call if it knows that there are no options.
      const isByDefault = locales === undefined && options === undefined;
      return isByDefault ? localeCompare(text, other) : localeCompare(text, other, locales, options);
    },
  });
  const { prototype: collatorPrototype } = Intl.Collator;
  const compare = getDescriptor(collatorPrototype, "compare");
  const compareOf = uncurryThis(compare.get);
  // V8's function of a collator -> ours.
  const comparing = newWeakMap();
  const { get } = getDescriptor(
    {
      get compare() {
        const native = compareOf(this);
        let ours = comparing.get(native);
        if (ours === undefined) {
          ours = (x, y) => native(sortable(x), sortable(y));
          defineProperty(ours, "name", { __proto__: null, value: "" });
          comparing.set(native, ours);
        }
        return ours;
      },
    },
    "compare",
  );
  defineProperty(collatorPrototype, "compare", { __proto__: null, ...compare, get });

  // The names that JSON.stringify writes. V8 keeps a handle of each element, including holes.
  const MAX_NAMES = 0xffff;
  const namesOf = (replacer) => {
    const length = lengthOf(replacer);
    const names = [];
    for (let i = 0; i < length; i++) {
      look(i);
      const name = replacer[i];
      if (name !== undefined) arrayPush(names, name);
    }
    return names;
  };
  replace(JSON, {
    stringify(value, replacer, space) {
      const isBounded = !isArray(replacer) || (isPlain(replacer) && replacer.length <= MAX_NAMES);
      return jsonStringify(value, isBounded ? replacer : namesOf(replacer), space);
    },
  });
})();
