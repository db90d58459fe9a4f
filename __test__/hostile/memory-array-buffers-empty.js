// attack: millions of empty array buffers and views, which have no bytes to count
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (;;) hoard.push(new ArrayBuffer(0), new Uint8Array(0).buffer, new DataView(new ArrayBuffer(0)));
