// attack: language tags of a megabyte, each of whose parts ICU compares with all others
// outcome: value [ 'RangeError', 'RangeError', 'RangeError', 'RangeError' ]
// state: READY
// options: {"timeoutMs":10000}
const parts = Array.from({ length: 100_000 }, (_, i) => `${(i + 1e5).toString(36)}abcd`).join('-');
const errorOf = (make) => {
  try {
    return make();
  } catch (error) {
    return error.name;
  }
};
return [
  errorOf(() => 'a'.localeCompare('b', `en-${parts}`)),
  errorOf(() => new Intl.Locale(`en-${parts}`)),
  errorOf(() => new Intl.Locale('en', { variants: parts })),
  errorOf(() => new Intl.DisplayNames('en', { type: 'language' }).of(`en-${parts}`)),
];
