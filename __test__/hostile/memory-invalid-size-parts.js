// attack: more parts of a string than V8's arrays can hold, under a memory limit that lets their places be found
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":20000,"memoryLimitMb":3000}
return 'ab'.repeat(2 ** 27 + 5).split('b').length;
