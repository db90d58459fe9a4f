// attack: the spread of a string of 2^28 characters into an object
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 512 the string, once it is flat
return { ...new String('a'.repeat(2 ** 28)) };
