// attack: an array that is longer than V8's arrays can be, by split, which V8 ends the process for
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":8000}
// peak: 512 the string, once it is flat
return 'a'.repeat(2 ** 28).split('');
