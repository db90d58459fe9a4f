// attack: millions of combining marks in a row, which normalizing and comparing sort one by one
// outcome: value [ 'RangeError', 'RangeError', 'RangeError', 'RangeError', 'RangeError' ]
// state: READY
const marks = `a${'\u0301\u0327'.repeat(1e6)}`;
const thrown = [
  () => marks.normalize('NFD'),
  () => '\uff9e\u0301'.repeat(1e6).normalize('NFKC'),
  () => String.prototype.normalize.call({ toString: () => marks }),
  () => `${marks}b`.localeCompare(`${marks}c`, 'ig'),
  () => [`${marks}b`, `${marks}c`].sort(new Intl.Collator('ee').compare),
].map((attempt) => {
  try {
    return attempt().length;
  } catch (error) {
    return error.name;
  }
});
return thrown;
