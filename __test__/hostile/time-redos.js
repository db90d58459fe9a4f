// attack: a regular expression that backtracks exponentially
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return /^(a+)+$/.test(`${'a'.repeat(40)}b`);
