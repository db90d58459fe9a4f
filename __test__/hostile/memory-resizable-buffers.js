// attack: resizable buffers, which reserve a gigabyte each and are grown and filled one after the other
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
// details: {"name":"RangeError"}
{
  const hoard = [];
  for (;;) {
    const buffer = new ArrayBuffer(0, { maxByteLength: 2 ** 30 });
    hoard.push(buffer);
    buffer.resize(30e6);
    new Uint8Array(buffer).fill(1);
  }
}
