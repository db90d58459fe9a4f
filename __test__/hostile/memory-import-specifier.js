// attack: import() of a name of 2^29 characters, whose message would have as many
// outcome: ERR_IMPORT_NOT_ALLOWED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
await import('a'.repeat(2 ** 29 - 24));
