// attack: the address of the program by import.meta
// outcome: ERR_VALIDATION_FAILED
// state: READY
console.log(import.meta.url, import.meta.resolve?.('fs'));
