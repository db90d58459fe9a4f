// attack: a loop over parameters that are appended to meanwhile, within a built-in that takes a callback
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":300,"memoryLimitMb":256}
const parameters = new URLSearchParams('a=1');
parameters.forEach((value, name, all) => all.append(name, value));
