// attack: base64 of texts of 2^28 and 2^29 characters, of white space, and of texts beyond Latin-1
// outcome: value [ 'RangeError', 'RangeError', 'RangeError', 'InvalidCharacterError' ]
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 768 one text of 2^29 characters
const nameOf = (attempt) => {
  try {
    return attempt().length;
  } catch (error) {
    return error.name;
  }
};
return [
  nameOf(() => btoa('x'.repeat(2 ** 28))),
  nameOf(() => atob(' '.repeat(2 ** 28))),
  nameOf(() => atob('QUJD'.repeat(2 ** 26))),
  nameOf(() => btoa('\u20ac'.repeat(2 ** 20))),
];
