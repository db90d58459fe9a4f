// attack: array buffers without end, with every failure caught
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
// options: {"maxOperations":200,"timeoutMs":25000}
{
  const hoard = [];
  for (;;) {
    try {
      hoard.push(new Uint8Array(1e6).fill(1));
    } catch {
      // again
    }
  }
}
