// `split`, `replace` and `match` by a regular expression, for long strings.
//
// V8's loops over the matches in a string check neither for termination nor for memory. They are used for short
// strings, and for longer ones if the result certainly fits. Other strings use the implementation in this file, if the
// regular expression has no own properties. Nothing can change the prototype of such an expression. This file also
// implements `replace` and `match` for all other expressions: the guest's `exec` may be a built-in that always finds a
// match.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { apply, construct, getDescriptor, getPrototypeOf, ownKeys, TypeError, uncurryThis } = boot.p;
  const { arrayPush, max, min, RangeError, stringIncludes, stringIndexOf, stringReplaceAll, stringSlice } = boot.p;
  const { isObject, lengthOf, look, newArray, replace: replaceMethods, toInteger, toLength, toObject } = boot.loops;
  const { op_room } = boot.ops;
  const { prototype } = RegExp;
  const nativeSplit = uncurryThis(prototype[Symbol.split]);
  const nativeReplace = uncurryThis(prototype[Symbol.replace]);
  const nativeMatch = uncurryThis(prototype[Symbol.match]);
  const { exec: nativeExec } = prototype;
  const exec = uncurryThis(nativeExec);
  const getter = (name) => uncurryThis(getDescriptor(prototype, name).get);
  const sourceOf = getter("source");
  const flagsOf = getter("flags");
  const isGlobal = getter("global");
  const isUnicode = getter("unicode");
  const hasUnicodeSets = getter("unicodeSets");
  const codePointAt = uncurryThis(String.prototype.codePointAt);

  // Whether `value` is a regular expression with only the properties that V8 gave it. Runs no guest code: the getter
  // refuses proxies before a trap is called.
  const isPlain = (value) => {
    try {
      sourceOf(value);
    } catch {
      return false;
    }
    return getPrototypeOf(value) === prototype && ownKeys(value).length === 1;
  };

  // Whether V8's own `exec` finds the matches. V8's loops over the matches in a string then end: by themselves or, if
  // an expression lies about its flags, by the memory limit. This check is cheaper than `isPlain` and suffices for most
  // programs. A getter of the guest's may run.
  const hasNativeExec = (value) => {
    try {
      isGlobal(value);
    } catch {
      return false;
    }
    return value.exec === nativeExec;
  };

  // The position at which to search after an empty match.
  const next = (text, index, byCodePoint) => index + (byCodePoint && codePointAt(text, index) > 0xffff ? 2 : 1);

  // The expression that searches for the next separator from a given position. The last one is cached.
  let lastSource, lastFlags, lastMatcher;
  const matcherOf = (regexp, flags) => {
    const source = sourceOf(regexp);
    if (source !== lastSource || flags !== lastFlags) {
      let others = flags;
      for (let i = 0; i < 3; i++) others = stringReplaceAll(others, "dgy"[i], "");
      lastMatcher = construct(RegExp, [source, `${others}g`]);
      lastSource = source;
      lastFlags = flags;
    }
    return lastMatcher;
  };

  const split = (matcher, text, byCodePoint, limit) => {
    const parts = [];
    let start = 0;
    matcher.lastIndex = 0;
    for (let found = exec(matcher, text); found !== null; found = exec(matcher, text)) {
      const { index } = found;
      const { length } = found[0];
      if (length === 0) {
        if (index === text.length) break;
        matcher.lastIndex = next(text, index, byCodePoint);
        if (index === start) continue;
      }
      arrayPush(parts, stringSlice(text, start, index));
      if (parts.length === limit) return parts;
      for (let i = 1; i < found.length; i++) {
        arrayPush(parts, found[i]);
        if (parts.length === limit) return parts;
      }
      start = index + length;
    }
    arrayPush(parts, stringSlice(text, start));
    return parts;
  };

  // Passes each match to `take`: all matches if the expression is global. `take` runs no guest code.
  const forEachMatch = (regexp, text, take) => {
    if (!isGlobal(regexp)) {
      const found = exec(regexp, text);
      if (found !== null) take(found);
      return;
    }
    const byCodePoint = isUnicode(regexp) || hasUnicodeSets(regexp);
    regexp.lastIndex = 0;
    for (let found = exec(regexp, text); found !== null; found = exec(regexp, text)) {
      take(found);
      if (found[0] === "") regexp.lastIndex = next(text, regexp.lastIndex, byCodePoint);
    }
  };

  const digitAt = (text, index) => (index < text.length ? stringIndexOf("0123456789", text[index]) : -1);

  // GetSubstitution of ECMA-262.
  const substitute = (found, text, template) => {
    const { 0: matched, index, groups } = found;
    let result = "";
    let start = 0;
    for (let at = stringIndexOf(template, "$"); at !== -1; at = stringIndexOf(template, "$", start)) {
      result += stringSlice(template, start, at);
      // The number of characters after `$` that belong to the reference. Without a reference, `$` stands for itself.
      let length = 1;
      let value;
      const sign = template[at + 1];
      const digit = digitAt(template, at + 1);
      if (digit !== -1) {
        const second = digitAt(template, at + 2);
        const both = 10 * digit + second;
        const isTwoDigits = second !== -1 && both < found.length;
        const number = isTwoDigits ? both : digit;
        length = isTwoDigits ? 2 : 1;
        if (number > 0 && number < found.length) value = found[number] ?? "";
      } else if (sign === "$") value = "$";
      else if (sign === "&") value = matched;
      else if (sign === "`") value = stringSlice(text, 0, index);
      else if (sign === "'") value = stringSlice(text, index + matched.length);
      else if (sign === "<" && groups !== undefined) {
        const end = stringIndexOf(template, ">", at);
        if (end !== -1) {
          length = end - at;
          const group = groups[stringSlice(template, at + 2, end)];
          value = group === undefined ? "" : `${group}`;
        }
      } else length = 0;
      start = at + 1 + length;
      result += value ?? stringSlice(template, at, start);
    }
    return result + stringSlice(template, start);
  };

  // The result of `replacement`, a function of the guest, for a match. `push` is faster than a write past the end: V8
  // has no fast path for such a write when `Array.prototype` is frozen.
  const replacementOf = (replacement, found, text) => {
    const { index, groups, length } = found;
    if (groups === undefined) {
      if (length === 1) return `${replacement(found[0], index, text)}`;
      if (length === 2) return `${replacement(found[0], found[1], index, text)}`;
      if (length === 3) return `${replacement(found[0], found[1], found[2], index, text)}`;
    }
    const args = [];
    for (let i = 0; i < length; i++) arrayPush(args, found[i]);
    arrayPush(args, index, text);
    if (groups !== undefined) arrayPush(args, groups);
    return `${apply(replacement, undefined, args)}`;
  };

  const replace = (regexp, text, replacement) => {
    let result = "";
    let start = 0;
    const add = (found, by) => {
      result += stringSlice(text, start, found.index) + by;
      start = found.index + found[0].length;
    };
    if (typeof replacement === "function") {
      // The function may use the expression, so all matches are found first.
      const all = [];
      forEachMatch(regexp, text, (found) => arrayPush(all, found));
      for (let i = 0; i < all.length; i++) add(all[i], replacementOf(replacement, all[i], text));
    } else if (stringIncludes(replacement, "$")) {
      forEachMatch(regexp, text, (found) => add(found, substitute(found, text, replacement)));
    } else {
      forEachMatch(regexp, text, (found) => add(found, replacement));
    }
    return result + stringSlice(text, start);
  };

  // RegExpExec of ECMA-262.
  const execOf = (value, text) => {
    const own = value.exec;
    if (typeof own !== "function") return exec(value, text);
    const found = apply(own, value, [text]);
    if (found === null || isObject(found)) return found;
    throw new TypeError("RegExp exec method returned something other than an Object or null");
  };

  // All matches that `exec` of a value, plain or not, finds: every match if its flags say so, else one.
  const foundBy = (value, text) => {
    const flags = `${value.flags}`;
    const all = newArray();
    const isForAll = stringIncludes(flags, "g");
    if (isForAll) value.lastIndex = 0;
    const byCodePoint = stringIncludes(flags, "u") || stringIncludes(flags, "v");
    for (let found = execOf(value, text); found !== null; found = execOf(value, text)) {
      look(all.length);
      arrayPush(all, found);
      if (!isForAll) break;
      if (`${found[0]}` !== "") continue;
      value.lastIndex = next(text, toLength(value.lastIndex), byCodePoint);
    }
    return { all, isForAll };
  };

  const matchOther = (value, text) => {
    const { all, isForAll } = foundBy(value, text);
    if (!isForAll) return all.length === 0 ? null : all[0];
    for (let i = 0; i < all.length; i++) all[i] = `${all[i][0]}`;
    return all.length === 0 ? null : all;
  };

  // A match in the form that `substitute` and `replacementOf` take.
  const readMatch = (found, text) => {
    const length = max(lengthOf(found), 1);
    const match = [`${found[0]}`];
    match.index = max(min(toInteger(found.index), text.length), 0);
    for (let i = 1; i < length; i++) {
      look(i);
      const group = found[i];
      arrayPush(match, group === undefined ? group : `${group}`);
    }
    match.groups = found.groups;
    return match;
  };

  const replaceOther = (value, text, replacement) => {
    const { all } = foundBy(value, text);
    let result = "";
    let start = 0;
    for (let i = 0; i < all.length; i++) {
      look(i);
      const match = readMatch(all[i], text);
      const { index } = match;
      let by;
      if (typeof replacement === "function") by = replacementOf(replacement, match, text);
      else {
        if (match.groups !== undefined) match.groups = toObject(match.groups);
        by = substitute(match, text, replacement);
      }
      if (index < start) continue;
      result += stringSlice(text, start, index) + by;
      start = index + match[0].length;
    }
    return result + stringSlice(text, start);
  };

  // V8 handles strings of this length in a few milliseconds.
  const SHORT = 1 << 16;
  const SHORT_RESULT = 1 << 24;
  // V8 parses a template into a list before it looks for matches.
  const SHORT_TEMPLATE = 1 << 12;

  // Each group of an expression becomes a part of the result at each position where it splits.
  const SHORT_FOR_GROUPS = 1 << 8;
  const SHORT_PARTS = 1 << 22;

  const lengthOfSource = (value) => {
    try {
      return sourceOf(value).length;
    } catch {
      return 0;
    }
  };
  const isShortToSplit = (text, separator) =>
    text.length <= SHORT_FOR_GROUPS || (text.length <= SHORT && text.length * lengthOfSource(separator) <= SHORT_PARTS);
  const hasSmallResult = (text, replacement) => {
    if (typeof replacement === "function") return true;
    const { length } = replacement;
    // Each part of a template may stand for as much as the whole string, at each match.
    if (length <= SHORT_TEMPLATE && text.length * text.length * length <= SHORT_RESULT) return true;
    return text.length * length <= SHORT_RESULT && !stringIncludes(replacement, "$");
  };

  // V8 handles strings of this length in some tens of milliseconds. A search that takes longer checks for termination
  // itself.
  const LONG = 1 << 20;
  // The most bytes that V8 needs for a match or for a group of one: its text and its entries in lists.
  const MATCH_BYTES = 64;

  const count = (text, part) => {
    let found = 0;
    for (let at = stringIndexOf(text, part); at !== -1; at = stringIndexOf(text, part, at + 1)) found++;
    return found;
  };

  // Whether there is memory for as many matches as the string has characters. All functions from here on take plain
  // expressions only.
  const hasRoomForMatches = (regexp, text) =>
    text.length <= LONG && text.length * (1 + count(sourceOf(regexp), "(")) * MATCH_BYTES <= op_room() / 2;

  // Whether a template refers only to parts of the matches. Matches do not overlap.
  const isOfMatches = (regexp, template) =>
    !stringIncludes(template, "$`") &&
    !stringIncludes(template, "$'") &&
    !stringIncludes(sourceOf(regexp), "(?=") &&
    !stringIncludes(sourceOf(regexp), "(?<=");

  const isReplacedByV8 = (regexp, text, replacement) => {
    if (!hasRoomForMatches(regexp, text)) return false;
    if (hasSmallResult(text, replacement)) return true;
    const { length } = replacement;
    return length <= SHORT_TEMPLATE && text.length * length <= SHORT_RESULT && isOfMatches(regexp, replacement);
  };

  const matchLong = (regexp, text) => {
    if (!isGlobal(regexp)) return exec(regexp, text);
    const all = [];
    forEachMatch(regexp, text, (found) => arrayPush(all, found[0]));
    return all.length === 0 ? null : all;
  };

  const splitLong = (regexp, text, limit) => {
    const flags = flagsOf(regexp);
    // This may run guest code, which may call `split` for another string.
    const most = limit === undefined ? 0xffffffff : limit >>> 0;
    const byCodePoint = stringIncludes(flags, "u") || stringIncludes(flags, "v");
    return most === 0 ? [] : split(matcherOf(regexp, flags), text, byCodePoint, most);
  };

  const replaceBy = (regexp, text, replacement) => {
    const by = typeof replacement === "function" ? replacement : `${replacement}`;
    if (text.length <= SHORT && hasSmallResult(text, by) && hasNativeExec(regexp))
      return nativeReplace(regexp, text, by);
    if (!isPlain(regexp)) return replaceOther(regexp, text, by);
    return isReplacedByV8(regexp, text, by) ? nativeReplace(regexp, text, by) : replace(regexp, text, by);
  };
  const matchBy = (regexp, text) => {
    if (text.length <= SHORT && hasNativeExec(regexp)) return nativeMatch(regexp, text);
    if (!isPlain(regexp)) return matchOther(regexp, text);
    return hasRoomForMatches(regexp, text) ? nativeMatch(regexp, text) : matchLong(regexp, text);
  };
  const splitBy = (regexp, text, limit) => {
    const isNative = isShortToSplit(text, regexp) || !isPlain(regexp) || hasRoomForMatches(regexp, text);
    return isNative ? nativeSplit(regexp, text, limit) : splitLong(regexp, text, limit);
  };

  replaceMethods(prototype, {
    [Symbol.replace](string, replacement) {
      return isObject(this) ? replaceBy(this, `${string}`, replacement) : nativeReplace(this, string, replacement);
    },
    [Symbol.match](string) {
      return isObject(this) ? matchBy(this, `${string}`) : nativeMatch(this, string);
    },
    [Symbol.split](string, limit) {
      return isObject(this) ? splitBy(this, `${string}`, limit) : nativeSplit(this, string, limit);
    },
  });

  // String methods look up the methods above. The lookup is slow in V8 if they are not V8's own.
  const { [Symbol.replace]: regExpReplace, [Symbol.match]: regExpMatch, [Symbol.split]: regExpSplit } = prototype;
  const { match, replace: replaceIn, replaceAll, split: splitAt } = String.prototype;
  const matchText = uncurryThis(match);
  const replaceText = uncurryThis(replaceIn);
  const replaceAllText = uncurryThis(replaceAll);
  const splitText = uncurryThis(splitAt);
  const isThere = (value) => value !== undefined && value !== null;

  // Does the same for a value that is not a regular expression, or that has another method. `method` is not looked up
  // again.
  const byOther = (native, method, value, text, ...more) => {
    if (typeof method === "function") return apply(method, value, [text, ...more]);
    return isThere(method) ? native(text, value, ...more) : native(`${text}`, `${value}`, ...more);
  };

  // V8 ends the isolate if an array is longer than it can make.
  const MAX_PARTS = 128 * 1024 * 1024 - 16;

  replaceMethods(String.prototype, {
    match(regexp) {
      if (!isThere(this) || !isObject(regexp)) return matchText(this, regexp);
      const method = regexp[Symbol.match];
      return method === regExpMatch ? matchBy(regexp, `${this}`) : byOther(matchText, method, regexp, this);
    },

    replace(searchValue, replaceValue) {
      if (!isThere(this) || !isObject(searchValue)) return replaceText(this, searchValue, replaceValue);
      const method = searchValue[Symbol.replace];
      if (method === regExpReplace) return replaceBy(searchValue, `${this}`, replaceValue);
      return byOther(replaceText, method, searchValue, this, replaceValue);
    },

    replaceAll(searchValue, replaceValue) {
      if (!isThere(this) || !isObject(searchValue) || !isPlain(searchValue) || !isGlobal(searchValue)) {
        return replaceAllText(this, searchValue, replaceValue);
      }
      return replaceBy(searchValue, `${this}`, replaceValue);
    },

    split(separator, limit) {
      if (isThere(this) && isObject(separator)) {
        const method = separator[Symbol.split];
        if (method === regExpSplit) return splitBy(separator, `${this}`, limit);
        return byOther(splitText, method, separator, this, limit);
      }
      if (separator === "" && typeof this === "string" && this.length > MAX_PARTS && limit === undefined) {
        throw new RangeError(`${this.length} parts are too many: split slices of the text, or pass a limit`);
      }
      return splitText(this, separator, limit);
    },
  });
})();
