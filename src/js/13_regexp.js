// `split` by a regular expression, in about as many steps as before lockdown.
//
// V8 has a fast path that asks whether `RegExp.prototype` is what it was when the realm was made. A frozen one is not,
// and the way of the specification makes one attempt per character, which is a hundred times slower. Since nothing can
// change the frozen prototype, a regular expression without properties of its own behaves as the fast path assumes. For
// any other V8's function is called.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { apply, construct, defineProperty, getDescriptor, getPrototypeOf, ownKeys, uncurryThis } = boot.p;
  const { arrayPush, stringIncludes, stringReplaceAll, stringSlice } = boot.p;
  const FeralRegExp = boot.feral.RegExp;
  const { prototype } = RegExp;
  const { [Symbol.split]: nativeSplit } = prototype;
  const exec = uncurryThis(prototype.exec);
  const sourceOf = uncurryThis(getDescriptor(prototype, "source").get);
  const flagsOf = uncurryThis(getDescriptor(prototype, "flags").get);
  const codePointAt = uncurryThis(String.prototype.codePointAt);
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // Flags of a regular expression that has only what V8 gave it; undefined for anything else. Runs no guest code: the
  // getter refuses proxies before a trap is called.
  const plainFlags = (value) => {
    try {
      sourceOf(value);
    } catch {
      return undefined;
    }
    return getPrototypeOf(value) === prototype && ownKeys(value).length === 1 ? flagsOf(value) : undefined;
  };

  // What searches for the places to split at: the expression, from any place on. The last one is kept.
  let lastSource, lastFlags, lastMatcher;
  const matcherOf = (regexp, flags) => {
    const source = sourceOf(regexp);
    if (source !== lastSource || flags !== lastFlags) {
      let others = flags;
      for (let i = 0; i < 3; i++) others = stringReplaceAll(others, "dgy"[i], "");
      lastMatcher = construct(FeralRegExp, [source, `${others}g`]);
      lastSource = source;
      lastFlags = flags;
    }
    return lastMatcher;
  };

  const split = (matcher, text, isUnicode, limit) => {
    const parts = [];
    let start = 0;
    matcher.lastIndex = 0;
    for (let found = exec(matcher, text); found !== null; found = exec(matcher, text)) {
      const { index } = found;
      const { length } = found[0];
      if (length === 0) {
        if (index === text.length) break;
        matcher.lastIndex = index + (isUnicode && codePointAt(text, index) > 0xffff ? 2 : 1);
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

  const methods = {
    [Symbol.split](string, limit) {
      if (!isObject(this)) return apply(nativeSplit, this, [string, limit]);
      const text = `${string}`;
      const flags = plainFlags(this);
      if (flags === undefined || text === "") return apply(nativeSplit, this, [text, limit]);
      // This may run guest code, which may split something else.
      const most = limit === undefined ? 0xffffffff : limit >>> 0;
      const isUnicode = stringIncludes(flags, "u") || stringIncludes(flags, "v");
      return most === 0 ? [] : split(matcherOf(this, flags), text, isUnicode, most);
    },
  };
  defineProperty(prototype, Symbol.split, {
    __proto__: null,
    value: methods[Symbol.split],
    writable: true,
    enumerable: false,
    configurable: true,
  });
})();
