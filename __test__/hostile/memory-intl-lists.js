// attack: lists of a million texts for ICU, which gets a copy of each
// outcome: value [ 'RangeError', 'RangeError', 'RangeError' ]
// state: READY
// options: {"timeoutMs":10000}
const texts = new Array(1e6).fill('x');
const own = Object.defineProperty(['x'], Symbol.iterator, { value: () => texts[Symbol.iterator]() });
const list = new Intl.ListFormat('en');
const errorOf = (format) => {
  try {
    return format();
  } catch (error) {
    return error.name;
  }
};
return [
  errorOf(() => list.format(texts)),
  errorOf(() => list.formatToParts(texts)),
  errorOf(() => list.format(own)),
];
