// attack: a million calls of tools with every failure caught
// outcome: ERR_TOOL_CALL_LIMIT_EXCEEDED
// state: READY
// options: {"maxOperations":2000000}
for (let i = 0; i < 1_000_000; i++) {
  try {
    echo(i);
    later(i).catch(() => {});
  } catch {
    // again
  }
}
