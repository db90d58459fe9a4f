// attack: for-in over a string of 2^28 characters
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 512 the string, once it is flat
for (const key in new String('a'.repeat(2 ** 28))) if (key === '') return key;
return 'never';
