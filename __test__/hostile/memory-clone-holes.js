// attack: a list of buffers to transfer that has 2^32 - 1 places
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":40000}
// details: {"name":"DataCloneError"}
const list = [];
list.length = 2 ** 32 - 1;
return structuredClone(1, { transfer: list });
