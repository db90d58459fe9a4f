// attack: millions of tiny typed arrays, whose bookkeeping is larger than their contents
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// details: {"name":"RangeError"}
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
{
  const hoard = [];
  for (;;) hoard.push(new ArrayBuffer(1), new Uint8Array(8).buffer);
}
