// `toLocaleString` of numbers. V8 caches the formatter of the last locale, but copies it for each number. A copy
// collects the locale's data again, which takes twenty times as long.
"use strict";
(() => {
  const boot = globalThis.__smol_boot;
  const { construct, getDescriptor, uncurryThis } = boot.p;
  const { replace } = boot.loops;
  const { NumberFormat } = Intl;
  const formatOf = uncurryThis(getDescriptor(NumberFormat.prototype, "format").get);

  // The formatter for `locale`, a string or `undefined`. The last one is cached.
  let lastLocale, lastFormat;
  const formatFor = (locale) => {
    if (lastFormat === undefined || locale !== lastLocale) {
      lastFormat = formatOf(construct(NumberFormat, [locale]));
      lastLocale = locale;
    }
    return lastFormat;
  };

  for (const [{ prototype }, type] of [
    [Number, "number"],
    [BigInt, "bigint"],
  ]) {
    const native = uncurryThis(prototype.toLocaleString);
    replace(prototype, {
      toLocaleString(locales = undefined, options = undefined) {
        const isSimple = typeof this === type && options === undefined;
        const isOfOne = isSimple && (locales === undefined || typeof locales === "string");
        return isOfOne ? formatFor(locales)(this) : native(this, locales, options);
      },
    });
  }
})();
