// attack: buffers that are transferred to larger ones, and to fixed-length ones
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
// details: {"name":"RangeError"}
{
  let buffer = new ArrayBuffer(1e6, { maxByteLength: 5e8 });
  const hoard = [];
  for (let size = 1e6; ; size += 1e6) {
    buffer = buffer.transfer(size);
    hoard.push(new Uint8Array(buffer).slice().fill(1));
  }
}
