// attack: normalisation that makes a string many times as long, outside of V8's heap
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 640 one string of 200 MB, in ICU and on the heap
return '\u0390'.repeat(33e6).normalize('NFD').length;
