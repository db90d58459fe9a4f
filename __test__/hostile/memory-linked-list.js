// attack: a linked list that grows by recursion of a getter
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
let list = null;
for (;;) list = { list, other: { list } };
