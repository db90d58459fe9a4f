// attack: array buffers without end, kept
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
// details: {"name":"RangeError"}
{
  const hoard = [];
  for (;;) hoard.push(new ArrayBuffer(1e6));
}
