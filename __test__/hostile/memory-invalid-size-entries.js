// attack: Object.entries, Object.values and Object.assign of a string of 2^28 characters
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 512 the string, once it is flat
const text = 'a'.repeat(2 ** 28);
try {
  Object.assign({}, text);
} finally {
  Object.entries(text).push(...Object.values(text));
}
return 'never';
