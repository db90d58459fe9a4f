// attack: a regular expression of half a megabyte that is compiled and run
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":1000}
const pattern = new RegExp(`^(?:${'(a|b)?'.repeat(5_000)})${'[ab]{0,20}'.repeat(2_000)}$`);
return pattern.test(`${'ab'.repeat(20_000)}!`);
