// attack: upper case of a large string
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 528 one string of 400 MB
return '\u00df\u0149'.repeat(5e7).toLocaleUpperCase('de').length;
