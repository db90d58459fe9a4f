// attack: a list of locales that is long and has none, where a formatter is made
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":200,"memoryLimitMb":1024}
new Intl.NumberFormat({ length: 2 ** 32 - 1 });
return 'never';
