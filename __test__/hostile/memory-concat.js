// attack: an array that is concatenated with itself
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
// peak: 256 one array of 128 MB
let list = Array(1e6).fill(1);
for (;;) list = list.concat(list);
