// attack: an array that is longer than V8's arrays can be, by split, which V8 ends the process for
// outcome: value 'RangeError: 268435456 parts are too many: split slices of the text, or pass a limit'
// state: READY
try {
  'a'.repeat(2 ** 28).split('');
} catch (error) {
  return String(error);
}
