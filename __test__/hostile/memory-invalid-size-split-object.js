// attack: the same of a string object, where V8 gives the isolate up
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":8000}
// peak: 512 the string, once it is flat
return String.prototype.split.call(new String('a'.repeat(2 ** 28)), '').length;
