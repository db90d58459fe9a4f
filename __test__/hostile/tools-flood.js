// attack: a million calls of a tool that nobody awaits
// outcome: ERR_TOOL_CALL_LIMIT_EXCEEDED
// state: READY
// options: {"maxOperations":2000000}
for (let i = 0; i < 1_000_000; i++) later(i);
