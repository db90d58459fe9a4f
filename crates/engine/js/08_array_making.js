// Array methods that make a new array. Plain arrays use V8's own (06_plain_arrays.js); all others follow ECMA-262.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { arrayPush, construct, defineProperty, isArray, min, RangeError, TypeError, uncurryThis } = boot.p;
  const { isPlain, isObject, toObject, toInteger, lengthOf, placeOf, toFunction, look, newArray, listOf, replace } =
    boot.loops;
  const { prototype } = Array;
  const call = uncurryThis(Function.prototype.call);
  const native = { __proto__: null };
  const names = ["concat", "filter", "map", "slice", "sort", "splice", "toReversed", "toSorted", "toSpliced", "with"];
  for (const name of names) native[name] = uncurryThis(prototype[name]);
  const { concat, filter, map, slice, sort, splice, toReversed, toSorted, toSpliced } = native;

  const MAX_ARRAY = 2 ** 32 - 1;
  const arrayLength = (length) => {
    if (length > MAX_ARRAY) throw new RangeError("Invalid array length");
    return length;
  };
  const safeLength = (length) => {
    if (length > 2 ** 53 - 1) throw new TypeError("The result is longer than array-likes can be");
    return length;
  };

  // A new array that takes elements in the order of their positions, and a flag for a plain array. It is plain unless
  // the class of `object` says otherwise.
  const result = (object, length) => {
    let species = isArray(object) ? object.constructor : undefined;
    if (isObject(species)) species = species[Symbol.species] ?? undefined;
    if (species !== undefined && species !== Array) return { to: construct(species, [length]), isFresh: false };
    arrayLength(length);
    return { to: newArray(), isFresh: true };
  };
  const put = ({ to, isFresh }, place, value) => {
    if (isFresh && place === to.length) arrayPush(to, value);
    else defineProperty(to, place, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  };
  const finish = ({ to }, length) => {
    to.length = length;
    return to;
  };

  const isSpreadable = (value) => {
    if (!isObject(value)) return false;
    const spreadable = value[Symbol.isConcatSpreadable];
    return spreadable === undefined ? isArray(value) : !!spreadable;
  };

  // Copies the present elements among `count` elements from `first` on. Returns the position after the last one.
  const copy = (made, at, object, first, count) => {
    for (let i = 0; i < count; i++) {
      look(i);
      if (first + i in object) put(made, at + i, object[first + i]);
    }
    return at + count;
  };

  // Adds the elements of `object`, and of arrays in it, `depth` levels deep. Returns the position after the last one.
  const flatten = (made, at, object, length, depth, mapped, thisArg) => {
    let place = at;
    for (let i = 0; i < length; i++) {
      look(i);
      if (!(i in object)) continue;
      const value = mapped === undefined ? object[i] : call(mapped, thisArg, object[i], i, object);
      if (depth > 0 && isArray(value)) place = flatten(made, place, value, lengthOf(value), depth - 1);
      else put(made, place++, value);
    }
    return place;
  };

  // Checked before anything is read.
  const comparator = (compare) => (compare === undefined ? compare : toFunction(compare));

  // The range that `splice` and `toSpliced` remove: the first position and the number of elements.
  const cutOf = (length, args) => {
    const start = args.length === 0 ? 0 : placeOf(args[0], length, 0);
    let count = args.length === 0 ? 0 : length - start;
    if (args.length > 1) count = min(toInteger(args[1]) > 0 ? toInteger(args[1]) : 0, length - start);
    return { start, count };
  };

  // Moves elements, including holes, from one position to another.
  const move = (object, from, to, count, isBackwards = from < to) => {
    for (let step = 0; step < count; step++) {
      look(step);
      const i = isBackwards ? count - 1 - step : step;
      if (from + i in object) object[to + i] = object[from + i];
      else delete object[to + i];
    }
  };
  const remove = (object, first, end) => {
    for (let i = end - 1; i >= first; i--) {
      look(i);
      delete object[i];
    }
  };
  boot.loops.move = move;

  replace(prototype, {
    concat(item, ...others) {
      const items = arguments.length === 0 ? [] : [item];
      for (let i = 0; i < others.length; i++) arrayPush(items, others[i]);
      let isNative = isPlain(this);
      for (let i = 0; isNative && i < items.length; i++) isNative = isPlain(items[i]) || !isObject(items[i]);
      if (isNative) return concat(this, ...items);
      const object = toObject(this);
      const made = result(object, 0);
      let at = 0;
      for (let i = -1; i < items.length; i++) {
        const value = i < 0 ? object : items[i];
        if (isSpreadable(value)) {
          const length = lengthOf(value);
          safeLength(at + length);
          at = copy(made, at, value, 0, length);
        } else {
          safeLength(at + 1);
          put(made, at++, value);
        }
      }
      return finish(made, at);
    },
    filter(callback, thisArg = undefined) {
      if (isPlain(this)) return filter(this, callback, thisArg);
      const object = toObject(this);
      const length = lengthOf(object);
      toFunction(callback);
      const made = result(object, 0);
      let at = 0;
      for (let i = 0; i < length; i++) {
        look(i);
        if (!(i in object)) continue;
        const value = object[i];
        if (call(callback, thisArg, value, i, object)) put(made, at++, value);
      }
      return made.to;
    },
    // An element of a plain array may be an array that is not plain.
    flat(...depth) {
      const object = toObject(this);
      const length = lengthOf(object);
      const levels = depth.length === 0 || depth[0] === undefined ? 1 : toInteger(depth[0]);
      const made = result(object, 0);
      flatten(made, 0, object, length, levels);
      return made.to;
    },
    flatMap(callback, thisArg = undefined) {
      const object = toObject(this);
      const length = lengthOf(object);
      toFunction(callback);
      const made = result(object, 0);
      flatten(made, 0, object, length, 1, callback, thisArg);
      return made.to;
    },
    map(callback, thisArg = undefined) {
      if (isPlain(this)) return map(this, callback, thisArg);
      const object = toObject(this);
      const length = lengthOf(object);
      toFunction(callback);
      const made = result(object, length);
      for (let i = 0; i < length; i++) {
        look(i);
        if (i in object) put(made, i, call(callback, thisArg, object[i], i, object));
      }
      return made.isFresh ? finish(made, length) : made.to;
    },
    slice(start, end) {
      if (isPlain(this)) return slice(this, start, end);
      const object = toObject(this);
      const length = lengthOf(object);
      const first = placeOf(start, length, 0);
      const last = placeOf(end, length, length);
      const count = last > first ? last - first : 0;
      const made = result(object, count);
      return finish(made, copy(made, 0, object, first, count));
    },
    sort(compare) {
      if (isPlain(this)) return sort(this, compare);
      comparator(compare);
      const object = toObject(this);
      const length = lengthOf(object);
      const present = [];
      for (let i = 0; i < length; i++) {
        look(i);
        if (i in object) arrayPush(present, object[i]);
      }
      sort(present, compare);
      for (let i = 0; i < present.length; i++) object[i] = present[i];
      for (let i = present.length; i < length; i++) {
        look(i);
        delete object[i];
      }
      return object;
    },
    splice(start, deleteCount, ...items) {
      if (isPlain(this)) {
        if (arguments.length === 0) return splice(this);
        return arguments.length === 1 ? splice(this, start) : splice(this, start, deleteCount, ...items);
      }
      const object = toObject(this);
      const length = lengthOf(object);
      const { start: first, count } = cutOf(length, arguments);
      const end = safeLength(length - count + items.length);
      const made = result(object, count);
      finish(made, copy(made, 0, object, first, count));
      if (items.length !== count) move(object, first + count, first + items.length, length - count - first);
      remove(object, end, length);
      for (let i = 0; i < items.length; i++) object[first + i] = items[i];
      object.length = end;
      return made.to;
    },
    toReversed() {
      if (isPlain(this)) return toReversed(this);
      const object = toObject(this);
      const length = arrayLength(lengthOf(object));
      const reversed = newArray();
      for (let i = length - 1; i >= 0; i--) {
        look(i);
        arrayPush(reversed, object[i]);
      }
      return reversed;
    },
    toSorted(compare) {
      if (isPlain(this)) return toSorted(this, compare);
      comparator(compare);
      const object = toObject(this);
      return sort(listOf(object, arrayLength(lengthOf(object))), compare);
    },
    toSpliced(start, skipCount, ...items) {
      if (isPlain(this)) {
        if (arguments.length === 0) return toSpliced(this);
        return arguments.length === 1 ? toSpliced(this, start) : toSpliced(this, start, skipCount, ...items);
      }
      const object = toObject(this);
      const length = lengthOf(object);
      const { start: first, count } = cutOf(length, arguments);
      arrayLength(safeLength(length - count + items.length));
      const made = newArray();
      for (let i = 0; i < first; i++) {
        look(i);
        arrayPush(made, object[i]);
      }
      for (let i = 0; i < items.length; i++) arrayPush(made, items[i]);
      for (let i = first + count; i < length; i++) {
        look(i);
        arrayPush(made, object[i]);
      }
      return made;
    },
    with(index, value) {
      if (isPlain(this)) return native.with(this, index, value);
      const object = toObject(this);
      const length = lengthOf(object);
      const place = toInteger(index);
      const at = place < 0 ? length + place : place;
      if (at < 0 || at >= length) throw new RangeError("Invalid index");
      arrayLength(length);
      const made = newArray();
      for (let i = 0; i < length; i++) {
        look(i);
        arrayPush(made, i === at ? value : object[i]);
      }
      return made;
    },
  });
})();
