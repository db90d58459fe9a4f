// attack: JSON of more elements than V8's arrays can hold
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":20000,"memoryLimitMb":3000}
return JSON.parse('[' + '0,'.repeat(2 ** 27 + 5) + '0]').length;
