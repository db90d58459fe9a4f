// attack: the limit caught, and hoarding on in finally
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (;;) {
  try {
    for (;;) hoard.push(new Array(1000).fill(0.5));
  } catch {
    continue;
  } finally {
    hoard.push(new Array(1000).fill(0.5));
    continue;
  }
}
