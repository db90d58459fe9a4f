// attack: an array that is concatenated with itself
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":8000}
// peak: 400 one array that is twice the last one
let list = Array(1e6).fill(1);
for (;;) list = list.concat(list);
