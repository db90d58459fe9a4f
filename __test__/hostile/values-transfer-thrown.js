// attack: an error whose message, name and stack are half a gigabyte each
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
const huge = 'x'.repeat(2 ** 29 - 100);
const error = new Error(huge);
error.name = huge;
throw error;
