// `split`, `replace` and `match` by a regular expression, where the text is long.
//
// V8's loops over the matches of a text look neither at termination nor at memory. They are used for short texts; for others
// and a regular expression without properties of its own, whose prototype nothing can change, here is what they do.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { apply, construct, defineProperty, getDescriptor, getPrototypeOf, ownKeys, uncurryThis } = boot.p;
  const { arrayPush, stringIncludes, stringIndexOf, stringReplaceAll, stringSlice } = boot.p;
  const { prototype } = RegExp;
  const { [Symbol.split]: nativeSplit, [Symbol.replace]: nativeReplace, [Symbol.match]: nativeMatch } = prototype;
  const exec = uncurryThis(prototype.exec);
  const getter = (name) => uncurryThis(getDescriptor(prototype, name).get);
  const sourceOf = getter("source");
  const flagsOf = getter("flags");
  const isGlobal = getter("global");
  const isUnicode = getter("unicode");
  const hasUnicodeSets = getter("unicodeSets");
  const codePointAt = uncurryThis(String.prototype.codePointAt);
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // Whether this is a regular expression that has only what V8 gave it. Runs no guest code: the getter refuses proxies
  // before a trap is called.
  const isPlain = (value) => {
    try {
      sourceOf(value);
    } catch {
      return false;
    }
    return getPrototypeOf(value) === prototype && ownKeys(value).length === 1;
  };

  // Where to search on after an empty match.
  const next = (text, index, byCodePoint) => index + (byCodePoint && codePointAt(text, index) > 0xffff ? 2 : 1);

  // What searches for the places to split at: the expression, from any place on. The last one is kept.
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

  // Passes each match to `take`: all of them if the expression is global. `take` runs no guest code.
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
      // What `$` and this many characters behind it stand for; itself, if nothing.
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
          value = groups[stringSlice(template, at + 2, end)] ?? "";
        }
      } else length = 0;
      start = at + 1 + length;
      result += value ?? stringSlice(template, at, start);
    }
    return result + stringSlice(template, start);
  };

  // What `replacement`, a function of the guest, gives for a match. Pushing is faster than writing behind the end: V8 has no
  // fast path for that either where `Array.prototype` is frozen.
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
      // It may use the expression, so that all matches are found before.
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

  // V8 is done with these in a few milliseconds.
  const SHORT = 1 << 16;
  const SHORT_RESULT = 1 << 24;
  // V8 takes a template apart into a list before it looks for matches.
  const SHORT_TEMPLATE = 1 << 12;

  // Each group of an expression is a part at each place where it splits.
  const SHORT_FOR_GROUPS = 1 << 8;
  const SHORT_PARTS = 1 << 22;

  const isShort = (text) => typeof text === "string" && text.length <= SHORT;
  const lengthOfSource = (value) => {
    try {
      return sourceOf(value).length;
    } catch {
      return 0;
    }
  };
  const isShortToSplit = (text, separator) =>
    isShort(text) &&
    (text.length <= SHORT_FOR_GROUPS ||
      typeof separator === "string" ||
      text.length * lengthOfSource(separator) <= SHORT_PARTS);
  const isShortReplacement = (text, replacement) => {
    if (typeof replacement !== "string") return typeof replacement === "function";
    const { length } = replacement;
    if (!stringIncludes(replacement, "$")) return text.length * length <= SHORT_RESULT;
    // Each part of a template may stand for as much as the whole text, at each match.
    return length <= SHORT_TEMPLATE && text.length * text.length * length <= SHORT_RESULT;
  };

  const matchLong = (regexp, text) => {
    if (!isGlobal(regexp)) return exec(regexp, text);
    const all = [];
    forEachMatch(regexp, text, (found) => arrayPush(all, found[0]));
    return all.length === 0 ? null : all;
  };

  const splitLong = (regexp, text, limit) => {
    const flags = flagsOf(regexp);
    // This may run guest code, which may split something else.
    const most = limit === undefined ? 0xffffffff : limit >>> 0;
    const byCodePoint = stringIncludes(flags, "u") || stringIncludes(flags, "v");
    return most === 0 ? [] : split(matcherOf(regexp, flags), text, byCodePoint, most);
  };

  const define = (object, methods) => {
    for (const key of ownKeys(methods)) {
      const value = methods[key];
      defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    }
  };

  const ofRegExp = {
    [Symbol.replace](string, replacement) {
      if (!isObject(this)) return apply(nativeReplace, this, [string, replacement]);
      const text = `${string}`;
      const by = typeof replacement === "function" ? replacement : `${replacement}`;
      const isEasy = (isShort(text) && isShortReplacement(text, by)) || !isPlain(this);
      return isEasy ? apply(nativeReplace, this, [text, by]) : replace(this, text, by);
    },

    [Symbol.match](string) {
      if (!isObject(this)) return apply(nativeMatch, this, [string]);
      const text = `${string}`;
      return isShort(text) || !isPlain(this) ? apply(nativeMatch, this, [text]) : matchLong(this, text);
    },

    [Symbol.split](string, limit) {
      if (!isObject(this)) return apply(nativeSplit, this, [string, limit]);
      const text = `${string}`;
      const isEasy = isShortToSplit(text, this) || !isPlain(this);
      return isEasy ? apply(nativeSplit, this, [text, limit]) : splitLong(this, text, limit);
    },
  };
  define(prototype, ofRegExp);

  // V8 takes its own way here for a regular expression that nothing was changed of, without a look at the methods above.
  const { match, replace: replaceIn, replaceAll, split: splitAt } = String.prototype;
  const matchShort = uncurryThis(match);
  const replaceShort = uncurryThis(replaceIn);
  const replaceAllShort = uncurryThis(replaceAll);
  const splitShort = uncurryThis(splitAt);
  const isThere = (value) => value !== undefined && value !== null;
  define(String.prototype, {
    match(regexp) {
      if (isShort(this) || !isThere(this) || !isPlain(regexp)) return matchShort(this, regexp);
      return apply(ofRegExp[Symbol.match], regexp, [this]);
    },

    replace(searchValue, replaceValue) {
      const isEasy = isShort(this) && isShortReplacement(this, replaceValue);
      if (isEasy || !isThere(this) || !isPlain(searchValue)) return replaceShort(this, searchValue, replaceValue);
      return apply(ofRegExp[Symbol.replace], searchValue, [this, replaceValue]);
    },

    replaceAll(searchValue, replaceValue) {
      const isEasy = isShort(this) && isShortReplacement(this, replaceValue);
      if (isEasy || !isThere(this) || !isPlain(searchValue) || !isGlobal(searchValue)) {
        return replaceAllShort(this, searchValue, replaceValue);
      }
      return apply(ofRegExp[Symbol.replace], searchValue, [this, replaceValue]);
    },

    split(separator, limit) {
      const isEasy = isShortToSplit(this, separator);
      if (isEasy || !isThere(this) || !isPlain(separator)) return splitShort(this, separator, limit);
      return apply(ofRegExp[Symbol.split], separator, [this, limit]);
    },
  });
})();
